// Reserved space on the disk of the embedded database: a file beside it that is deleted when the disk gets full, so
// that instances can still be terminated, and created again when there is space. Used by start.ts.
//
// Invariant: the file is there whole or not at all, and while it is not, `isReleased` holds. The disk is checked every
// second, so filling it within a second still leaves it full until the next check; the database then aborts its
// statement, or ends and is restarted (supervise.ts), with the released space.

import { execFile } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { open, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Reserve } from "../storage.ts";

const MIB = 2 ** 20;
const LOOK_MS = 1_000;

export interface ReserveSizes {
  /** The file's size. 64 MiB: some 20,000 terminations with what the database writes for them. */
  readonly bytes: number;
  /** Released when less than this is free on its disk. 32 MiB: two segments of the database's log. */
  readonly lowBytes: number;
}

const defaults: ReserveSizes = { bytes: 64 * MIB, lowBytes: 32 * MIB };

export interface DiskReserve extends Reserve {
  /** Checks once: releases or creates the file depending on the free space. Never throws. */
  look(): Promise<void>;
  /** Checks every second from now on. */
  watch(): void;
  /** The file stays. */
  stop(): void;
}

/** `log` gets a line when it is released and when it is there again. */
export function diskReserve(
  dataDirectory: string,
  log: (line: string) => void,
  { bytes, lowBytes }: ReserveSizes = defaults,
): DiskReserve {
  const path = join(dataDirectory, "disk-reserve");
  let isThere = isWhole(path, bytes);
  /** False until the first check: a reserve that was never needed was not released. */
  let isReleased = false;
  let looking = false;
  let timer: NodeJS.Timeout | undefined;

  function release(): void {
    if (!isReleased) log(`the disk of ${dataDirectory} is full: its reserve of ${bytes / MIB} MiB is released`);
    isReleased = true;
    isThere = false;
    rmSync(path, { force: true });
  }

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      const { bavail, bsize } = await statfs(dataDirectory);
      const free = bavail * bsize;
      if (free < lowBytes) {
        if (isThere || !isReleased) release();
      } else if (!isThere && free >= bytes + 2 * lowBytes) {
        await allocate(path, bytes);
        isThere = true;
        if (isReleased) log(`the disk of ${dataDirectory} has space again`);
        isReleased = false;
      }
    } catch {
      // The disk is just filling up, or the directory is gone: the next check finds out.
    } finally {
      looking = false;
    }
  }

  return {
    get isReleased() {
      return isReleased;
    },
    release,
    look,
    watch() {
      timer ??= setInterval(() => void look(), LOOK_MS).unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}

function isWhole(path: string, bytes: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.size === bytes;
}

/** Throws what the file system throws; then nothing is left of it. */
async function allocate(path: string, bytes: number): Promise<void> {
  const unfinished = `${path}.unfinished`;
  try {
    await rm(unfinished, { force: true });
    // Allocated at once if the system can. Otherwise written, with incompressible bytes.
    await promisify(execFile)("fallocate", ["--length", String(bytes), unfinished]).catch(() =>
      fill(unfinished, bytes),
    );
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function fill(path: string, bytes: number): Promise<void> {
  const chunk = Buffer.alloc(Math.min(MIB, bytes));
  await using file = await open(path, "w", 0o600);
  for (let written = 0; written < bytes; written += chunk.length) {
    randomFillSync(chunk);
    await file.write(chunk, 0, Math.min(chunk.length, bytes - written));
  }
}
