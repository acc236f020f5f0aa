// Whether anything at all changed: a digest of every table of the rental. Left out are when tokens were last used, for
// that is noted of refused requests too, the columns by which the reconciler plans its own next look, the marks that such a
// look leaves (rental/freshness.ts), and the audit log, which tells of refused requests as well.

import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../../src/database/connect.ts";
import { inTransaction } from "../../src/database/transaction.ts";
import type { Scene } from "./scene.ts";

const leftTables = ["audit_log", "account_changes", "catalog_changes"];
const left = ["last_used_at", "next_look_at", "next_try_at", "lease_owner", "lease_until", "attempts", "progress"];

/** Of each table that is not empty, by its name: most are. */
async function digest(db: Database): Promise<Record<string, string>> {
  return inTransaction(db, async (tx) => {
    // Workers for so many small tables take ten times as long to begin as the tables to read.
    await sql`set local max_parallel_workers_per_gather = 0`.execute(tx);
    const { rows: tables } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> all(${leftTables})
        and pg_relation_size(oid) > 0
      order by 1`.execute(tx);
    const parts = tables.map(
      ({ name }) => sql`
        select ${name}::text as name, md5(string_agg(row, E'\n' order by row)) as digest
        from (select (to_jsonb(t) - ${left}::text[])::text as row from ${sql.table(name)} t) rows having count(*) > 0`,
    );
    const { rows } = await sql<{ name: string; digest: string }>`${sql.join(parts, sql` union all `)}`.execute(tx);
    return Object.fromEntries(rows.map((row) => [row.name, row.digest]));
  });
}

/** Runs `attempt` when all is at rest, and fails the test where a table is not what it was before. Gives what it gave. */
export async function changesNothing<T>(scene: Scene, attempt: () => Promise<T>): Promise<T> {
  await scene.settled();
  const before = await digest(scene.db);
  const result = await attempt();
  expect(await digest(scene.db)).toEqual(before);
  return result;
}
