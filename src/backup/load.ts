// Loads a backup's records into the migrated, empty tables, in one transaction, so that a failure leaves them empty.
// Constraints are checked, deferrable ones at the end; only triggers are disabled, because they report changes. Used by
// restore.ts.
//
// Invariant: the loaded tables are exactly those of the backup's migrations, with all their columns.

import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { raiseClock } from "../database/logical-clock.ts";
import { migrationsAfter } from "../database/migrate.ts";
import { restoredSetting } from "../database/restored.ts";
import { isLive, statesWhere } from "../rules/lifecycle.ts";
import { encryptedKeyIds } from "./encrypted-keys.ts";
import { misshapen } from "./file-format.ts";
import type { BackupFile } from "./read.ts";
import type { BackupRecord, SequenceValue, TableRecord } from "./records.ts";
import { sqlName, type Table, tablesOf } from "./tables.ts";
import { refuseUnlessEmpty } from "./target.ts";

export interface Loaded {
  readonly tables: number;
  readonly rows: number;
  /** Tables of the backup that the database does not have, because they are not Lessor's. */
  readonly leftOut: readonly string[];
}

/** All or nothing. Throws NotEmpty, BackupFileError, and what the database throws. */
export async function load(
  client: pg.Client,
  file: BackupFile,
  signal: AbortSignal,
  onTable: (name: string, rowsSoFar: number) => void,
): Promise<Loaded> {
  await client.query("begin isolation level read committed");
  // Blocks other readers and writers until the end; a service that starts now waits.
  const tables = await tablesOf(client);
  await client.query(`lock table ${tables.map(sqlName).join(", ")} in access exclusive mode`);
  await refuseUnlessEmpty(client, file.header);
  const later = await laterTables(client, file);
  for (const table of tables) await client.query(`alter table ${sqlName(table)} disable trigger user`);
  // Rows that migrations inserted are in the backup too.
  await client.query(`truncate ${tables.map(sqlName).join(", ")}`);
  await client.query("set constraints all deferred");
  const reader = file.records()[Symbol.asyncIterator]();
  const loaded = await loadRecords(client, file, reader, { tables, later }, signal, onTable).finally(() =>
    reader.return?.(),
  );
  await requestRules(client);
  // Runs deferred checks. Triggers cannot be enabled while any are pending.
  await client.query("set constraints all immediate");
  for (const table of tables) await client.query(`alter table ${sqlName(table)} enable trigger user`);
  // Without them the service would start, and fail at the first encrypted value.
  const unnamed = (await encryptedKeyIds(client, tables)).filter((id) => !file.header.keys.includes(id));
  if (unnamed.length > 0) {
    throw misshapen(file.path, `it needs encryption keys that its header does not name (${unnamed.join(", ")})`);
  }
  await markRestored(client, file.header.takenAt);
  // Transaction ids of another cluster, which mean nothing in this one.
  for (const marks of ["account_changes", "catalog_changes"]) {
    const there = await client.query<{ is: boolean }>("select to_regclass($1) is not null as is", [marks]);
    if (there.rows[0]?.is === true) await client.query(`truncate ${marks}`);
  }
  // Sessions and sign-in links that ended after the backup must not be valid again.
  for (const ended of ["console_sessions", "sign_in_links", "sign_in_attempts", "device_sign_ins"]) {
    const there = await client.query<{ is: boolean }>("select to_regclass($1) is not null as is", [ended]);
    if (there.rows[0]?.is === true) await client.query(`truncate ${ended}`);
  }
  // A backup from before the clock existed: the next start repairs it.
  const clock = await client.query<{ there: boolean }>("select to_regclass('logical_clock') is not null as there");
  if (clock.rows[0]?.there === true) await raiseClock(client);
  signal.throwIfAborted();
  await client.query("commit");
  return loaded;
}

/** The tables of migrations that the backup does not have: created in a savepoint, and rolled back. */
async function laterTables(client: pg.Client, { header }: BackupFile): Promise<Set<string>> {
  const migrations = await migrationsAfter(header.migrations.length);
  if (migrations.length === 0) return new Set();
  await client.query("savepoint before_trial");
  for (const migration of migrations) await client.query(migration);
  const tables = await tablesOf(client);
  await client.query("rollback to savepoint before_trial");
  return new Set(tables.map(sqlName));
}

async function loadRecords(
  client: pg.Client,
  { path }: BackupFile,
  reader: AsyncIterator<BackupRecord>,
  { tables, later }: { readonly tables: readonly Table[]; readonly later: ReadonlySet<string> },
  signal: AbortSignal,
  onTable: (name: string, rowsSoFar: number) => void,
): Promise<Loaded> {
  const known = new Map(tables.map((table) => [sqlName(table), table]));
  const left = new Set(known.keys());
  const leftOut: string[] = [];
  let rows = 0;
  for (;;) {
    const record = (await reader.next()).value as BackupRecord | undefined;
    if (record === undefined || record.kind === "rows" || record.kind === "table end") {
      throw new Error("BUG: the records of a backup are not in order");
    }
    if (record.kind === "end") break;
    if (record.kind === "sequences") {
      await setSequences(client, record.sequences);
      continue;
    }
    onTable(record.name, rows);
    const name = sqlName(record);
    const table = known.get(name);
    if (table !== undefined) {
      if (!left.delete(name)) throw misshapen(path, `it has ${name} twice`);
      if (!table.columns.every((column) => record.columns.includes(column))) {
        throw misshapen(path, `${name} lacks columns that it has after the migrations which the header names`);
      }
      if (record.columns.length > table.columns.length) {
        throw misshapen(path, `${name} has columns that it does not have after the migrations which the header names`);
      }
      rows += await loadTable(client, record, reader, signal);
    } else if (later.has(name)) {
      throw misshapen(path, `it has ${name}, which comes after the migrations that its header names`);
    } else {
      leftOut.push(`${record.schema}.${record.name}`);
      for await (const _ of rowsOf(reader, { rows: 0 })); // past them
    }
  }
  if (left.size > 0)
    throw misshapen(path, `it has no ${[...left].join(", ")}, though its header names their migration`);
  return { tables: known.size, rows, leftOut };
}

async function loadTable(
  client: pg.Client,
  table: TableRecord,
  reader: AsyncIterator<BackupRecord>,
  signal: AbortSignal,
): Promise<number> {
  const columns = table.columns.map(pg.escapeIdentifier).join(", ");
  const told = { rows: 0 };
  const copy = client.query(copyFrom(`copy ${sqlName(table)} (${columns}) from stdin`));
  await pipeline(rowsOf(reader, told), copy, { signal });
  if (copy.rowCount !== told.rows) {
    throw new Error(`BUG: ${table.name} has ${told.rows} rows in the backup, and ${copy.rowCount} were loaded`);
  }
  return told.rows;
}

/** The pieces up to the end of the table, which contains the number of rows. */
async function* rowsOf(reader: AsyncIterator<BackupRecord>, told: { rows: number }): AsyncGenerator<Buffer> {
  for (;;) {
    const { value: record } = (await reader.next()) as { value: BackupRecord | undefined };
    if (record?.kind === "rows") yield record.bytes;
    else if (record?.kind === "table end") {
      told.rows = record.rows;
      return;
    } else throw new Error("BUG: the rows of a table in a backup have no end");
  }
}

async function setSequences(client: pg.Client, sequences: readonly SequenceValue[]): Promise<void> {
  for (const sequence of sequences) {
    // A missing sequence belongs to a skipped table.
    await client.query(
      "select setval(found, $2::bigint, $3::boolean) from to_regclass($1) as found where found is not null",
      [sqlName(sequence), sequence.lastValue, sequence.isCalled],
    );
  }
}

/**
 * Firewall rules might have changed at the engines since the backup, so all are applied again. Does nothing for a
 * backup from before rules existed (migration 0013).
 */
async function requestRules(client: pg.Client): Promise<void> {
  const there = await client.query(
    "select from pg_attribute where attrelid = 'instances'::regclass and attname = 'firewall_wished' and not attisdropped",
  );
  if (there.rowCount === 0) return;
  await client.query(
    "update instances set firewall_wished = firewall_wished + 1, next_look_at = now() where state = any($1::text[])",
    [statesWhere(isLive)],
  );
}

async function markRestored(client: pg.Client, takenAt: string): Promise<void> {
  await client.query(
    `insert into settings (name, value) values ($1, jsonb_build_object('restored_at', now(), 'taken_at', $2::text))
    on conflict (name) do update set value = excluded.value`,
    [restoredSetting, takenAt],
  );
}
