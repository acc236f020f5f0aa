// Restores a backup into an empty database: migrates to the backup's version, loads, and migrates to the current
// version. If killed, it leaves a database that is empty or restored, and can be repeated. Used by operator/restore.ts,
// which has checked file and keys before.

import pg from "pg";
import { migrate } from "../database/migrate.ts";
import { restoredSetting } from "../database/restored.ts";
import { type Loaded, load } from "./load.ts";
import type { BackupFile } from "./read.ts";
import { refuseUnlessEmpty } from "./target.ts";

/**
 * Throws NotEmpty, BackupFileError, MigrationError and what the database throws; only after MigrationError the data is
 * restored.
 */
export async function restoreInto(
  url: string,
  file: BackupFile,
  signal: AbortSignal,
  onTable: (name: string, rowsSoFar: number) => void,
): Promise<Loaded> {
  await withClient(url, (client) => refuseUnlessEmpty(client, file.header));
  await migrate({ url }, undefined, file.header.migrations.at(-1)?.number ?? 0);
  const loaded = await withClient(url, async (client) => {
    await client.query("set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0");
    return load(client, file, signal, onTable);
  });
  await migrate({ url });
  // The planner has no statistics of the new rows.
  await withClient(url, (client) => client.query("analyze"));
  return loaded;
}

/** Allows removing orphaned machines again, including those created after the backup. False if that was already allowed. */
export function acceptOrphans(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rowCount } = await client.query("delete from settings where name = $1", [restoredSetting]);
    return rowCount !== 0;
  });
}

/** Protects unknown machines as after a restore, for a database that another tool restored. False if they already are. */
export function protectOrphans(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rowCount } = await client.query(
      "insert into settings (name, value) values ($1, '{}') on conflict (name) do nothing",
      [restoredSetting],
    );
    return rowCount !== 0;
  });
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: "lessor restore" });
  client.on("error", () => {}); // the next statement throws
  await client.connect();
  try {
    return await work(client);
  } finally {
    // An open transaction ends with its connection.
    await client.end();
  }
}
