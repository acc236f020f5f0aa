// How tests move time, though the code goes by the database's clock: the clock cannot be moved, so the past is.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../src/database/connect.ts";
import { inTransaction } from "../../src/database/transaction.ts";
import { resyncSettingOf } from "../../src/rental/capacity/engine-health.ts";
import { everythingChanged } from "./marks.ts";
import { untriggeredOf } from "./untriggered.ts";

/**
 * Lets `interval` ("3 hours", "90 seconds") pass: takes it from every time of every table, in one transaction, so that
 * all that was written lies that much further back. Triggers and foreign keys do not fire; CHECKs that compare times of
 * one row go on holding, for all move alike. Generated columns follow by themselves.
 */
export async function travel(db: Database, interval: string): Promise<void> {
  const untriggered = untriggeredOf(db);
  if (untriggered !== undefined) return moveTime(untriggered, interval);
  await inTransaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const { update } of await updatesBy(tx, sql`${interval}::interval`)) await update.execute(tx);
    await everythingChanged.execute(tx);
  });
}

/**
 * A `travel` for one who travels thousands of times in a database that tests did not make: one statement, five times as
 * fast. For the tables that there are now, and as a function that stays in the database.
 */
export async function timeMachine(db: Database): Promise<(interval: string) => Promise<void>> {
  await sql`create function public.move_time(by interval) returns void language plpgsql
    set session_replication_role = replica as ${await body(db)}`.execute(db);
  return async (interval) => {
    await sql`select public.move_time(${interval}::interval)`.execute(db);
  };
}

/** The tables that each connection's own function moves. */
const movedBy = new WeakMap<Database, string>();

/** By a function that only this connection has, and that keeps its plans: a hundred statements take a millisecond. */
async function moveTime(untriggered: Database, interval: string): Promise<void> {
  const known = movedBy.get(untriggered);
  // A transaction that is tried again after a deadlock makes the function again too: it is known once that is committed.
  const moved = await inTransaction(untriggered, async (tx) => {
    const { rows } = await sql<{ tables: string }>`
      select concat_ws(' ', pg_backend_pid(), count(*), sum(oid::bigint), sum(relnatts)) as tables
      from pg_class where relkind in ('r', 'p')`.execute(tx);
    const tables = rows[0]?.tables ?? "";
    if (known !== tables) {
      await sql`create or replace function pg_temp.move_time(by interval) returns void language plpgsql
        as ${await body(tx)}`.execute(tx);
    }
    await sql`select pg_temp.move_time(${interval}::interval)`.execute(tx);
    return tables;
  });
  movedBy.set(untriggered, moved);
}

/** Of a function that moves time by its parameter. Most tables have no row, which is quicker to see than to update none. */
async function body(db: Database | Transaction): Promise<RawBuilder<unknown>> {
  const moves = (await updatesBy(db, sql`by`)).map(
    ({ table, update }) => sql`if exists (select from ${sql.table(table)}) then ${update}; end if;`,
  );
  return sql`$$ begin ${sql.join(moves, sql` `)} ${everythingChanged}; end $$`;
}

interface Move {
  readonly table: string;
  readonly update: RawBuilder<unknown>;
}

/** The statements that move every table by so much. */
async function updatesBy(db: Database | Transaction, by: RawBuilder<unknown>): Promise<Move[]> {
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
    return { table, update: sql`update ${sql.table(table)} set ${sql.join(shifts)}` };
  });
  // The times of a resync are in the value of a setting.
  const resyncs = sql`
    update settings set value = value || jsonb_build_object('at', (value ->> 'at')::timestamptz - ${by},
      'good_at', (value ->> 'good_at')::timestamptz - ${by}, 'listed_at', (value ->> 'listed_at')::timestamptz - ${by})
    where name like ${sql.lit(resyncSettingOf("%"))}`;
  return [...updates, { table: "settings", update: resyncs }];
}
