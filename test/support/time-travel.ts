// How tests move time, though the code goes by the database's clock: the clock cannot be moved, so the past is.

import { sql } from "kysely";
import type { Database, Transaction } from "../../src/database/connect.ts";
import { inTransaction } from "../../src/database/transaction.ts";
import { everythingChanged } from "./marks.ts";

/**
 * Lets `interval` ("3 hours", "90 seconds") pass: takes it from every timestamptz of every table, in one transaction, so
 * that all that was written lies that much further back. Triggers and foreign keys do not fire; CHECKs that compare
 * times of one row go on holding, for all move alike. Generated columns follow by themselves.
 */
export async function travel(db: Database, interval: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const { table, columns } of await timedTables(tx)) {
      const shifts = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(column)} - ${interval}::interval`);
      await sql`update ${sql.table(table)} set ${sql.join(shifts)}`.execute(tx);
    }
    await everythingChanged.execute(tx);
  });
}

/**
 * A `travel` for one who travels thousands of times: one statement, five times as fast. For the tables that there are
 * now, and as a function that stays in the database.
 */
export async function timeMachine(db: Database): Promise<(interval: string) => Promise<void>> {
  const updates = (await timedTables(db)).map(({ table, columns }) => {
    const shifts = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(column)} - by`);
    return sql`update ${sql.table(table)} set ${sql.join(shifts)};`;
  });
  await sql`create function public.move_time(by interval) returns void language plpgsql
    set session_replication_role = replica as $$ begin ${sql.join(updates, sql` `)} ${everythingChanged}; end $$`.execute(
    db,
  );
  return async (interval) => {
    await sql`select public.move_time(${interval}::interval)`.execute(db);
  };
}

async function timedTables(db: Database | Transaction): Promise<{ table: string; columns: string[] }[]> {
  // From the catalog, which unlike information_schema tells partitions (moved with their parent) from tables.
  const { rows } = await sql<{ schema: string; table: string; column: string }>`
      select nspname as schema, relname as table, attname as column
      from pg_attribute
      join pg_class on pg_class.oid = attrelid
      join pg_namespace on pg_namespace.oid = relnamespace
      where relkind in ('r', 'p') and not relispartition and nspname <> 'information_schema' and nspname not like 'pg\\_%'
        and atttypid = 'timestamptz'::regtype and attnum > 0 and not attisdropped and attgenerated = ''
      order by attrelid, attnum`.execute(db);
  const tables = Map.groupBy(rows, ({ schema, table }) => `${schema}.${table}`);
  return [...tables].map(([table, columns]) => ({ table, columns: columns.map(({ column }) => column) }));
}
