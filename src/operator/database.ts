// The service's database, for commands that work on it beside the service or instead of it: the one of DATABASE_URL, or
// the embedded one, which is running or started for the command.
//
// Invariant: the data directory's lock decides. Its holder runs the server; a command that only reads uses that server,
// and one that rewrites everything is rejected.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { defaultDataDirectory } from "../database/data-directory.ts";
import { DataDirectoryInUse, type DataDirectoryLock, lockDataDirectory } from "../database/data-directory-lock.ts";
import { runningServerUrl } from "../database/embedded/running.ts";
import { startEmbedded } from "../database/embedded/start.ts";
import { OperatorError } from "./surroundings.ts";

export interface OpenDatabase extends AsyncDisposable {
  readonly url: string;
}

/** Where the embedded database and the key file are, or would be. */
export function dataDirectoryOf(config: Config): string {
  return config.dataDir ?? defaultDataDirectory();
}

/** An existing database, whether the service runs on it or not. Throws OperatorError if there is none. */
export async function openExisting(config: Config): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) return elsewhere(config.databaseUrl);
  const dataDirectory = dataDirectoryOf(config);
  if (!existsSync(dataDirectory)) throw noDatabase(dataDirectory);
  const lock = await lockDataDirectory(dataDirectory).catch((error: unknown) => {
    if (error instanceof DataDirectoryInUse) return undefined;
    throw error;
  });
  if (lock === undefined) {
    return elsewhere(
      await runningServerUrl(dataDirectory).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EACCES") throw error;
        throw new OperatorError(`Permission denied: ${dataDirectory}. Run this as the user that runs Lessor.`);
      }),
    );
  }
  if (existsSync(join(dataDirectory, "postgres/data/PG_VERSION"))) return startLocked(dataDirectory, lock);
  lock.release();
  throw noDatabase(dataDirectory);
}

/** The database to restore into, which the service must not use; creates the embedded one if needed. Throws OperatorError. */
export async function openForRestore(config: Config): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) return elsewhere(config.databaseUrl);
  const dataDirectory = dataDirectoryOf(config);
  const lock = await lockDataDirectory(dataDirectory).catch((error: unknown) => {
    if (!(error instanceof DataDirectoryInUse)) throw error;
    throw new OperatorError(`${error.message} Stop it, or restore into another directory (LESSOR_DATA_DIR).`);
  });
  return startLocked(dataDirectory, lock);
}

function elsewhere(url: string): OpenDatabase {
  return { url, [Symbol.asyncDispose]: async () => {} };
}

async function startLocked(dataDirectory: string, lock: DataDirectoryLock): Promise<OpenDatabase> {
  try {
    const server = await startEmbedded({ dataDirectory });
    return {
      url: server.url,
      [Symbol.asyncDispose]: async () => {
        await server.stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function noDatabase(dataDirectory: string): OperatorError {
  return new OperatorError(
    `There is no database in ${dataDirectory}. Set LESSOR_DATA_DIR or DATABASE_URL as for the service.`,
  );
}
