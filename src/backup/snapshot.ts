// A snapshot of a database: a read-only REPEATABLE READ transaction. The service continues meanwhile; only a migration
// waits.

import type pg from "pg";
import type { AppliedMigration } from "../database/migrate.ts";
import { encryptedKeyIds } from "./encrypted-keys.ts";
import type { BackupHeader } from "./file-format.ts";
import { sqlName, type Table, tablesOf } from "./tables.ts";

export interface Snapshot {
  readonly header: BackupHeader;
  readonly tables: readonly Table[];
}

/** The database has nothing to back up. */
export class NothingThere extends Error {
  override readonly name = "NothingThere";
}

/** Begins it on this connection; it ends with the connection's transaction. Throws NothingThere. */
export async function openSnapshot(client: pg.Client): Promise<Snapshot> {
  await client.query("set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0");
  for (;;) {
    if (!(await isMigrated(client))) {
      throw new NothingThere("The database has no Lessor tables, so there is nothing to back up.");
    }
    const before = await tablesOf(client);
    await client.query("begin isolation level repeatable read read only");
    // Locks come before the first read, which takes the snapshot: a migration of a table is either in the snapshot or
    // waits for its end. If one creates or drops a table in between, this is retried.
    const locked = [...before.map(sqlName), "schema_migrations"].join(", ");
    const isLocked = await client.query(`lock table ${locked} in access share mode`).then(
      () => true,
      (error: { code?: string }) => {
        if (error.code === "42P01") return false; // undefined_table
        throw error;
      },
    );
    if (isLocked) {
      const tables = await tablesOf(client);
      if (JSON.stringify(tables) === JSON.stringify(before)) return { tables, header: await headerOf(client, tables) };
    }
    await client.query("rollback");
  }
}

async function isMigrated(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    "select to_regclass('schema_migrations') is not null as there",
  );
  return rows[0]?.there === true;
}

async function headerOf(client: pg.Client, tables: readonly Table[]): Promise<BackupHeader> {
  const { rows: migrations } = await client.query<AppliedMigration>(
    "select number, name, sha256 from schema_migrations order by number",
  );
  const { rows } = await client.query<Pick<BackupHeader, "takenAt" | "installation" | "postgres">>(`
    select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "takenAt",
      (select value #>> '{}' from settings where name = 'installation') as installation,
      current_setting('server_version') as postgres`);
  const [about] = rows;
  if (about === undefined) throw new Error("BUG: a select without from gave no row");
  return { ...about, migrations, keys: await encryptedKeyIds(client, tables) };
}
