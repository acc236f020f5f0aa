// The service's database: the one of DATABASE_URL, or the embedded one in the data directory. The data directory, if
// needed, is locked for this program.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { defaultDataDirectory } from "../database/data-directory.ts";
import { lockDataDirectory } from "../database/data-directory-lock.ts";
import { startEmbedded } from "../database/embedded/start.ts";
import type { Reserve } from "../database/storage.ts";
import { loadOrCreateKeyFile } from "../secrets/key-file.ts";
import { removeDraft } from "../secrets/key-file-change.ts";
import { KeyRing } from "../secrets/key-ring.ts";

export interface StartupResources {
  readonly databaseUrl: string;
  readonly keyRing: KeyRing;
  /** Where the keys are stored; undefined if they come from LESSOR_ENCRYPTION_KEY. */
  readonly keyFile: string | undefined;
  /** Undefined if nothing is stored on this machine. */
  readonly dataDirectory: string | undefined;
  /** Reserved space on the embedded database's disk; undefined for other databases. */
  readonly reserve: Reserve | undefined;
  /** Removes the key file if this start created it: a key that the database was not written with would be misleading. */
  discardNewKey(): void;
  /** Stops the embedded database, if it is ours, and unlocks the data directory. */
  release(): Promise<void>;
}

/**
 * Locks the data directory, starts the embedded database and reads the key, as configured. Calls `meanwhile` while
 * waiting for a process of the database. Throws DataDirectoryInUse, KeyFileError and what startEmbedded throws; then
 * nothing is left running.
 */
export async function prepareStartup(
  config: Config,
  log: (line: string) => void,
  meanwhile: () => void,
): Promise<StartupResources> {
  if (config.databaseUrl !== undefined && config.encryptionKeys !== undefined) {
    const keyRing = new KeyRing(config.encryptionKeys);
    return {
      databaseUrl: config.databaseUrl,
      keyRing,
      keyFile: undefined,
      dataDirectory: undefined,
      reserve: undefined,
      discardNewKey() {},
      release: async () => {},
    };
  }
  const dataDirectory = config.dataDir ?? defaultDataDirectory();
  const lock = await lockDataDirectory(dataDirectory);
  try {
    const keyFile = join(dataDirectory, "encryption.key");
    const makesKey = config.encryptionKeys === undefined && !existsSync(keyFile);
    removeDraft(keyFile);
    const keyRing = new KeyRing(config.encryptionKeys ?? loadOrCreateKeyFile(keyFile));
    const embedded =
      config.databaseUrl === undefined
        ? await startEmbedded({ dataDirectory, log, meanwhile, keepsReserve: true })
        : undefined;
    return {
      databaseUrl: config.databaseUrl ?? embedded?.url ?? "",
      keyRing,
      keyFile: config.encryptionKeys === undefined ? keyFile : undefined,
      dataDirectory,
      reserve: embedded?.reserve,
      discardNewKey() {
        if (makesKey) rmSync(keyFile, { force: true });
      },
      release: async () => {
        await embedded?.stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
