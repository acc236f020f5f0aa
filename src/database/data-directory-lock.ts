// One live program per data directory. Two would stop each other's PostgreSQL and use each other's key file.
//
// The lock is a record lock of the kernel on a file, taken through SQLite's BEGIN EXCLUSIVE, since Node has no call for
// it. The kernel releases it when its holder dies, even by kill -9; two that start at once cannot both get it; it works
// between containers that share a volume. Rejected: a file with a pid (other containers have other pids, and taking
// over a stale one is a race), an abstract socket (one per network namespace), a `flock` child (one more process, that
// has to die in time). The file is never removed, because a lock on a removed file guards nothing.

import { closeSync, constants, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDirectory } from "./data-directory.ts";

export interface DataDirectoryLock {
  /** Releases the directory. Idempotent. */
  release(): void;
}

/** Another live program holds the directory; the message names both. */
export class DataDirectoryInUse extends Error {
  override name = "DataDirectoryInUse";
}

/** Locked handles. Without this, garbage collection would end a lock whose holder dropped its reference. */
const held = new Set<DatabaseSync>();

/**
 * Creates the directory if it is missing and locks it until released or until this process ends, however it ends.
 * Throws DataDirectoryInUse when another program (or this one, a second time) holds it, and an error that names
 * LESSOR_DATA_DIR if the directory is not usable. `name` distinguishes several locks in one directory.
 */
export async function lockDataDirectory(directory: string, name = "program"): Promise<DataDirectoryLock> {
  await makeDirectory(directory, 0o700);
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK).catch((cause) => {
    throw new Error(
      `The data directory ${directory} belongs to another user (perhaps Lessor ran with sudo before). Run Lessor as ` +
        "that user, or set LESSOR_DATA_DIR to another directory.",
      { cause },
    );
  });
  const path = join(directory, `${name}.lock`);
  const holderPath = join(directory, `${name}.lock.holder`);
  createIfMissing(path);
  const handle = new DatabaseSync(path);
  // A holder that was killed a moment ago may still be exiting: retry for a second before failing.
  for (const deadline = Date.now() + 1000; !tryLock(handle); ) {
    if (Date.now() >= deadline) {
      handle.close();
      throw new DataDirectoryInUse(`The data directory ${directory} is in use by ${readHolder(holderPath)}.`);
    }
    await sleep(25);
  }
  held.add(handle);
  rmSync(holderPath, { force: true }); // a killed holder's, perhaps of another user
  writeFileSync(holderPath, `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()}\n`, {
    mode: 0o600,
  });
  return {
    release() {
      if (!held.delete(handle)) return;
      rmSync(holderPath, { force: true });
      handle.close();
    },
  };
}

/**
 * Closing any descriptor of a file releases all record locks that the process has on it. SQLite handles that for its
 * own descriptors; ours is opened only when the file is new, when no process can hold it yet.
 */
function createIfMissing(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function tryLock(handle: DatabaseSync): boolean {
  try {
    // No journal, so that the lock is the only operation on the file.
    handle.exec("pragma busy_timeout = 0; pragma journal_mode = off; begin exclusive");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

const SQLITE_BUSY = 5;

function readHolder(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "another program that is just starting or ending";
  }
}
