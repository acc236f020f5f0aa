// Writes a file completely or not at all: as a draft beside its place, which is synced to disk and renamed. An existing
// file stays until then. Only the owner can read it.

import { randomUUID } from "node:crypto";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Writable } from "node:stream";

/** The file cannot be written there; the message says what to do. */
export class DraftError extends Error {
  override readonly name = "DraftError";
}

/**
 * Calls `write` with a stream, which it must end; returns when the file is at `path` and on disk. Throws what `write`
 * throws, and DraftError if `path` cannot be a file; then nothing has changed.
 */
export async function writeWhole<T>(path: string, write: (stream: Writable) => Promise<T>): Promise<T> {
  const there = await lstat(path).catch(() => undefined);
  // Renaming over a device would replace it.
  if (there !== undefined && !there.isFile())
    throw new DraftError(`${path} is not a regular file. Use a file name or -.`);
  const draft = `${path}.${randomUUID()}.draft`;
  const handle = await open(draft, "wx", 0o600).catch((cause: NodeJS.ErrnoException) => {
    throw new DraftError(`${path} cannot be written (${cause.code}). Choose another location.`, { cause });
  });
  try {
    const written = await write(writableOf(handle));
    await handle.sync();
    await rename(draft, path);
    await syncDirectory(dirname(path));
    return written;
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
}

function writableOf(handle: FileHandle): Writable {
  return new Writable({ write: (chunk: Buffer, _, done) => void handle.writeFile(chunk).then(() => done(), done) });
}

/** Without this the new name can be lost in a power failure. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  await directory.sync().finally(() => directory.close());
}
