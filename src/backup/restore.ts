// Brings a backup into an empty database: migrates it to where the backup was, loads, and migrates on to where this
// program is. Killed anywhere, it leaves a database that is empty or restored, and may be done again. Used by
// operator/restore.ts, which has checked file and keys before.

import pg from "pg";
import { migrate } from "../database/migrate.ts";
import { restoredSetting } from "../database/restored.ts";
import { type Loaded, load } from "./load.ts";
import type { BackupFile } from "./read.ts";
import { refuseUnlessEmpty } from "./target.ts";

/** Throws NotEmpty, BackupFileError, MigrationError and what the database throws; unless it is MigrationError, nothing was restored. */
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
  // The planner knows nothing of tables that were filled a moment ago.
  await withClient(url, (client) => client.query("analyze"));
  return loaded;
}

/**
 * From now on machines that belong to no rental are removed again, those too that were made after the backup was taken.
 * False where that was so already.
 */
export function acceptOrphans(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rowCount } = await client.query("delete from settings where name = $1", [restoredSetting]);
    return rowCount !== 0;
  });
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: "lessor restore" });
  client.on("error", () => {}); // the statement that meets the lost connection throws
  await client.connect();
  try {
    return await work(client);
  } finally {
    // A transaction that was not committed ends with its connection.
    await client.end();
  }
}
