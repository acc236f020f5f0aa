// A file that appears whole or not at all: written beside its place under a draft's name, brought to the disk, and
// renamed. What stood in its place stays until then. Only its owner may read it.

import { randomUUID } from "node:crypto";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Writable } from "node:stream";

/** The file cannot be written where it should be; the message says what to do. */
export class DraftError extends Error {
  override readonly name = "DraftError";
}

/**
 * Calls `write` with a stream, which it has to end; returns when the file is at `path`, and on the disk. Throws what
 * `write` throws, and DraftError where `path` is not the place of a file; then nothing has changed.
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

/** Without this the new name may be gone after a power failure, although the bytes are there. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  await directory.sync().finally(() => directory.close());
}
