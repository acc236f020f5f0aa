// Whether machines might be running: polled for open terminals. Used by http/live/terminals/.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { mayRun, statesWhere } from "../../rules/lifecycle.ts";

/** The ids among these of instances whose machines might be running. One query for any number. */
export async function runningAmong(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from instances where id = any(${ids}::uuid[]) and state = any(${statesWhere(mayRun)})`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
