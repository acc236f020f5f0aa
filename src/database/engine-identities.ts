// Where the identity of an engine, or of each of its hosts, is kept (settings). The reconciler confirms identities
// (reconciler/engine-identity.ts); the declaration of a lost host asks whether a host that answers is the known one.

import { sql } from "kysely";
import type { Database } from "./connect.ts";

/** The name of the setting. Names of engines contain no slash. `host`: only if each has an identity of its own. */
export function identitySettingOf(engine: string, host: string | undefined): string {
  return host === undefined ? `world:${engine}` : `world:${engine}/${host}`;
}

/** The stored identity; undefined: none yet. */
export async function storedIdentity(
  db: Database,
  engine: string,
  host: string | undefined,
): Promise<string | undefined> {
  const { rows } = await sql<{ value: unknown }>`
    select value from settings where name = ${identitySettingOf(engine, host)}`.execute(db);
  const [row] = rows;
  return row === undefined ? undefined : String(row.value);
}

/** Whether this identity is known as that of another engine or host. */
export async function isAnothersIdentity(
  db: Database,
  identity: string,
  engine: string,
  host: string | undefined,
): Promise<boolean> {
  const { rows } = await sql`
    select from settings where name like ${identitySettingOf("%", undefined)} and name <> ${identitySettingOf(engine, host)}
      and value = to_jsonb(${identity}::text) limit 1`.execute(db);
  return rows.length > 0;
}
