// Which database the service runs on: the one DATABASE_URL names, or the embedded one in the data directory. Either way
// the data directory, where one is needed, is locked for this program alone.

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
  /** Where the keys are kept; undefined where they come from LESSOR_ENCRYPTION_KEY. */
  readonly keyFile: string | undefined;
  /** Undefined where nothing is kept on this machine. */
  readonly dataDirectory: string | undefined;
  /** Space that is kept on the embedded database's disk; undefined where the database is another one. */
  readonly reserve: Reserve | undefined;
  /** Removes the key file if this start made it: a key that the database was not written with only misleads. */
  discardNewKey(): void;
  /** Stops the embedded database, if it is ours, and gives the data directory back. */
  release(): Promise<void>;
}

/**
 * Locks the data directory, starts the embedded database and reads the key, as far as the configuration needs them.
 * `meanwhile` is called when a process of the database's works and there is nothing to do but to wait for it. Throws
 * DataDirectoryInUse, KeyFileError and what startEmbedded throws; then nothing is left running.
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
