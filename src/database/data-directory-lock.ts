// One live program per data directory. Two would stop each other's PostgreSQL and use each other's key file.
//
// The lock is a record lock of the kernel on a file, taken through SQLite's BEGIN EXCLUSIVE, since Node has no call for
// it. The kernel drops it in the instant its holder dies, kill -9 included; two that start at once cannot both get it;
// it holds between containers that share a volume. Rejected: a file with a pid (a second container has other pids, and
// taking over a stale one is a race), an abstract socket (one per network namespace), a `flock` child (a process more,
// that has to die in time). The file is never removed, for a lock on a removed file guards nothing.

import { closeSync, constants, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDirectory } from "./data-directory.ts";

export interface DataDirectoryLock {
  /** Gives the directory back. Calling it again does nothing. */
  release(): void;
}

/** Another live program has the directory; the message names both. */
export class DataDirectoryInUse extends Error {
  override name = "DataDirectoryInUse";
}

/** Handles that are still locked. Without this a lock whose holder forgot it would end with the garbage collector. */
const held = new Set<DatabaseSync>();

/**
 * Creates the directory if it is missing and locks it until released or until this process ends, however it ends.
 * Throws DataDirectoryInUse when another program (or this one, a second time) holds it, and an error that names
 * LESSOR_DATA_DIR when the directory is not ours to use. `name` distinguishes several locks in one directory.
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
  // A holder that was killed a moment ago may still be on its way out: look again for a second before refusing.
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
 * Closing any descriptor of a file gives up all record locks that the process has on it. SQLite knows that of its own
 * descriptors; ours is only ever opened when the file is new, when nobody can hold it yet.
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
    // No journal, so that the lock is the only thing that ever happens to the file.
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
