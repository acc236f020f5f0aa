// How tests move time, though the code goes by the database's clock: the clock cannot be moved, so the past is.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../src/database/connect.ts";
import { inTransaction } from "../../src/database/transaction.ts";
import { resyncSettingOf } from "../../src/rental/capacity/engine-health.ts";
import { everythingChanged } from "./marks.ts";

/**
 * Lets `interval` ("3 hours", "90 seconds") pass: takes it from every time of every table, in one transaction, so that
 * all that was written lies that much further back. Triggers and foreign keys do not fire; CHECKs that compare times of
 * one row go on holding, for all move alike. Generated columns follow by themselves.
 */
export async function travel(db: Database, interval: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const update of await updatesBy(tx, sql`${interval}::interval`)) await update.execute(tx);
    await everythingChanged.execute(tx);
  });
}

/**
 * A `travel` for one who travels thousands of times: one statement, five times as fast. For the tables that there are
 * now, and as a function that stays in the database.
 */
export async function timeMachine(db: Database): Promise<(interval: string) => Promise<void>> {
  const updates = (await updatesBy(db, sql`by`)).map((update) => sql`${update};`);
  await sql`create function public.move_time(by interval) returns void language plpgsql
    set session_replication_role = replica as $$ begin ${sql.join(updates, sql` `)} ${everythingChanged}; end $$`.execute(
    db,
  );
  return async (interval) => {
    await sql`select public.move_time(${interval}::interval)`.execute(db);
  };
}

/** The statements that move every table by so much. */
async function updatesBy(db: Database | Transaction, by: RawBuilder<unknown>): Promise<RawBuilder<unknown>[]> {
  const moved = {
    timestamptz: (column: RawBuilder<unknown>) => sql`${column} - ${by}`,
    tstzmultirange: (column: RawBuilder<unknown>) => sql`coalesce((
      select range_agg(tstzrange(lower(part) - ${by}, upper(part) - ${by})) from unnest(${column}) part), '{}')`,
  } as const;
  // From the catalog, which unlike information_schema tells partitions (moved with their parent) from tables.
  const { rows } = await sql<{ schema: string; table: string; column: string; type: keyof typeof moved }>`
      select nspname as schema, relname as table, attname as column, atttypid::regtype::text as type
      from pg_attribute
      join pg_class on pg_class.oid = attrelid
      join pg_namespace on pg_namespace.oid = relnamespace
      where relkind in ('r', 'p') and not relispartition and nspname <> 'information_schema' and nspname not like 'pg\\_%'
        and atttypid in ('timestamptz'::regtype, 'tstzmultirange'::regtype)
        and attnum > 0 and not attisdropped and attgenerated = ''
      order by attrelid, attnum`.execute(db);
  const tables = Map.groupBy(rows, ({ schema, table }) => `${schema}.${table}`);
  const updates = [...tables].map(([table, columns]) => {
    const shifts = columns.map(({ column, type }) => {
      const kind = type in moved ? type : "timestamptz"; // its name in the catalog has spaces
      return sql`${sql.ref(column)} = ${moved[kind](sql.ref(column))}`;
    });
    return sql`update ${sql.table(table)} set ${sql.join(shifts)}`;
  });
  // The times of a resync are in the value of a setting.
  const resyncs = sql`
    update settings set value = value || jsonb_build_object('good_at', (value ->> 'good_at')::timestamptz - ${by},
      'listed_at', (value ->> 'listed_at')::timestamptz - ${by})
    where name like ${sql.lit(resyncSettingOf("%"))}`;
  return [...updates, resyncs];
}
