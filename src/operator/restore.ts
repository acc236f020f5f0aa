// `lessor restore FILE`: restores a backup into an empty database. Everything is checked before anything is changed:
// the file, its migrations, the encryption keys, the database. `lessor restore --accept-orphans`: afterwards, allows
// removing machines that are not in the backup.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { BackupFileError, type BackupHeader } from "../backup/file-format.ts";
import type { Loaded } from "../backup/load.ts";
import { openBackup } from "../backup/read.ts";
import { acceptOrphans, protectOrphans, restoreInto } from "../backup/restore.ts";
import { NotEmpty } from "../backup/target.ts";
import { type Config, loadConfig } from "../config.ts";
import { MigrationError, refuseUnknownMigrations } from "../database/migrate.ts";
import { loadOrCreateKeyFile } from "../secrets/key-file.ts";
import { KeyRing } from "../secrets/key-ring.ts";
import { unreachable } from "../startup/problems.ts";
import { dataDirectoryOf, openExisting, openForRestore } from "./database.ts";
import { interruptible } from "./interrupt.ts";
import { OperatorError, type Surroundings } from "./surroundings.ts";

export interface RestoreOrder {
  readonly file: string | undefined;
  readonly acceptOrphans: boolean;
  readonly protectOrphans: boolean;
}

/** Prints the result. Throws ConfigError, OperatorError, Interrupted, and what the database throws. */
export async function restore(order: RestoreOrder, surroundings: Surroundings): Promise<void> {
  const { env, cwd } = surroundings;
  const config = loadConfig({ env, cwd });
  try {
    const { file, acceptOrphans: accepts, protectOrphans: protects } = order;
    if ([file !== undefined, accepts, protects].filter(Boolean).length !== 1) {
      throw new OperatorError("Specify a backup file, or only --accept-orphans or --protect-orphans after a restore.");
    }
    if (file !== undefined) await restoreFile(resolve(cwd, file), config, surroundings);
    else if (accepts) await accept(config, surroundings);
    else await protect(config, surroundings);
  } catch (error) {
    const isTold = error instanceof BackupFileError || error instanceof NotEmpty || error instanceof MigrationError;
    if (isTold) throw new OperatorError(error.message);
    throw config.databaseUrl === undefined ? error : unreachable(error);
  } finally {
    surroundings.status.clear();
  }
}

async function restoreFile(path: string, config: Config, { print, tell, status }: Surroundings): Promise<void> {
  await interruptible(
    async (signal) => {
      status.show(`checking ${path}`);
      await using file = await openBackup(path, signal);
      await refuseUnknownMigrations(file.header.migrations, "backup");
      refuseMissingKeys(file.header, config);
      await using database = await openForRestore(config);
      const loaded = await restoreInto(database.url, file, signal, (name, rows) =>
        status.show(`loading ${name}, ${rows} rows so far`),
      );
      status.clear();
      for (const line of told(loaded, file.header)) print(line);
    },
    () => tell("Interrupted."),
  );
}

function refuseMissingKeys({ keys }: BackupHeader, config: Config): void {
  if (keys.length === 0) return;
  const keyFile = join(dataDirectoryOf(config), "encryption.key");
  const found = config.encryptionKeys ?? (existsSync(keyFile) ? loadOrCreateKeyFile(keyFile) : []);
  const ring = found.length === 0 ? undefined : new KeyRing(found);
  const missing = keys.filter((id) => ring?.canOpen(id) !== true);
  if (missing.length === 0) return;
  throw new OperatorError(
    `The backup needs the encryption key ${missing.join(", ")}, which is missing. Put the key file that was stored ` +
      `with it at ${keyFile} (mode 0600), or set LESSOR_ENCRYPTION_KEY. Nothing was changed.`,
  );
}

function* told({ rows, tables, leftOut }: Loaded, header: BackupHeader): Generator<string> {
  yield `Restored ${rows} rows of ${tables} tables, as of ${header.takenAt}.`;
  if (leftOut.length > 0) yield `Skipped, because they are not Lessor's: ${leftOut.join(", ")}.`;
  yield "Start the service after the backed-up service has stopped everywhere. Machines that are not in the backup";
  yield "are logged and left unchanged until you run: lessor restore --accept-orphans";
}

async function protect(config: Config, { print }: Surroundings): Promise<void> {
  await using database = await openExisting(config);
  const isNew = await protectOrphans(database.url);
  print(isNew ? "Machines that the database does not know are left unchanged." : "They are protected already.");
}

async function accept(config: Config, { print }: Surroundings): Promise<void> {
  await using database = await openExisting(config);
  const isNew = await acceptOrphans(database.url);
  print(
    isNew
      ? "Orphaned machines are deleted again."
      : "Nothing to accept: the database was not restored, or it was already accepted.",
  );
}
