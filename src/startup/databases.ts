// Which database the service runs on: the one DATABASE_URL names, or the embedded one in the data directory. Either way
// the data directory, where one is needed, is locked for this program alone.

import { join } from "node:path";
import type { Config } from "../config.ts";
import { defaultDataDirectory } from "../database/data-directory.ts";
import { lockDataDirectory } from "../database/data-directory-lock.ts";
import { startEmbedded } from "../database/embedded/start.ts";
import { loadOrCreateKeyFile } from "../secrets/key-file.ts";
import { KeyRing } from "../secrets/key-ring.ts";

export interface Ground {
  readonly databaseUrl: string;
  readonly keyRing: KeyRing;
  /** Undefined where nothing is kept on this machine. */
  readonly dataDirectory: string | undefined;
  /** Stops the embedded database, if it is ours, and gives the data directory back. */
  release(): Promise<void>;
}

/**
 * Locks the data directory, starts the embedded database and reads the key, as far as the configuration needs them.
 * Throws DataDirectoryInUse, KeyFileError and what startEmbedded throws; then nothing is left running.
 */
export async function prepareGround(config: Config, log: (line: string) => void): Promise<Ground> {
  if (config.databaseUrl !== undefined && config.encryptionKeys !== undefined) {
    const keyRing = new KeyRing(config.encryptionKeys);
    return { databaseUrl: config.databaseUrl, keyRing, dataDirectory: undefined, release: async () => {} };
  }
  const dataDirectory = config.dataDir ?? defaultDataDirectory();
  const lock = await lockDataDirectory(dataDirectory);
  try {
    const keyRing = new KeyRing(config.encryptionKeys ?? loadOrCreateKeyFile(join(dataDirectory, "encryption.key")));
    const embedded = config.databaseUrl === undefined ? await startEmbedded({ dataDirectory, log }) : undefined;
    return {
      databaseUrl: config.databaseUrl ?? embedded?.url ?? "",
      keyRing,
      dataDirectory,
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
