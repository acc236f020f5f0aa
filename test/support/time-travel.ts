// How tests move time, though the code goes by the database's clock: the clock cannot be moved, so the past is.

import { sql } from "kysely";
import { type Database, inTransaction } from "../../src/database/connect.ts";

/**
 * Lets `interval` ("3 hours", "90 seconds") pass: takes it from every timestamptz of every table, in one transaction, so
 * that all that was written lies that much further back. Triggers and foreign keys do not fire; CHECKs that compare
 * times of one row go on holding, for all move alike. Generated columns follow by themselves.
 */
export async function travel(db: Database, interval: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    // From the catalog, which unlike information_schema tells partitions (moved with their parent) from tables.
    const { rows: columns } = await sql<{ schema: string; table: string; column: string }>`
      select nspname as schema, relname as table, attname as column
      from pg_attribute
      join pg_class on pg_class.oid = attrelid
      join pg_namespace on pg_namespace.oid = relnamespace
      where relkind in ('r', 'p') and not relispartition and nspname <> 'information_schema' and nspname not like 'pg\\_%'
        and atttypid = 'timestamptz'::regtype and attnum > 0 and not attisdropped and attgenerated = ''
      order by attrelid, attnum`.execute(tx);
    const tables = Object.groupBy(columns, ({ schema, table }) => `${schema}.${table}`);
    for (const [first, ...others] of Object.values(tables).map((group) => group ?? [])) {
      if (!first) continue;
      const shifts = [first, ...others].map(
        ({ column }) => sql`${sql.ref(column)} = ${sql.ref(column)} - ${interval}::interval`,
      );
      await sql`update ${sql.table(`${first.schema}.${first.table}`)} set ${sql.join(shifts)}`.execute(tx);
    }
  });
}
