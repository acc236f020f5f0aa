// Whether a database can be restored into: it is empty, or has Lessor's tables without accounts. Any other database is
// never overwritten. Used by restore.ts, before anything is changed and again in the transaction that loads, which
// blocks other writers.

import type pg from "pg";
import type { BackupHeader } from "./file-format.ts";
import { tablesOf } from "./tables.ts";

/** The database is not empty, or was migrated further than the backup; the message says what to do. */
export class NotEmpty extends Error {
  override readonly name = "NotEmpty";
}

const advice =
  "Restore into an empty database: set DATABASE_URL to another database or, for the embedded one, LESSOR_DATA_DIR to another directory.";

/** Throws NotEmpty. */
export async function refuseUnlessEmpty(client: pg.Client, header: BackupHeader): Promise<void> {
  const { rows } = await client.query<{ migrated: boolean; accounts: boolean }>(
    "select to_regclass('schema_migrations') is not null as migrated, to_regclass('accounts') is not null as accounts",
  );
  if (rows[0]?.migrated !== true) {
    const [table] = await tablesOf(client);
    if (table === undefined) return;
    throw new NotEmpty(`The database has tables that are not Lessor's (${table.schema}.${table.name}). ${advice}`);
  }
  if (rows[0].accounts) {
    const accounts = await client.query("select from accounts limit 1");
    if (accounts.rowCount !== 0) throw new NotEmpty(`The database is in use: it has accounts. ${advice}`);
  }
  const last = await client.query<{ number: number | null }>("select max(number) as number from schema_migrations");
  const target = last.rows[0]?.number ?? 0;
  const backup = header.migrations.at(-1)?.number ?? 0;
  if (target > backup) {
    throw new NotEmpty(
      `The database has newer migrations (${target}) than the backup (${backup}), and migrations cannot be undone. ${advice}`,
    );
  }
}
