// A file without a name, in memory: how virsh is given what it reads from a file, and gives what it writes to one. Pipes
// of Node are sockets, which nobody can open by the name /dev/stdin. Used by virsh.ts.
//
// Invariant: nothing of it is on a disk or under any name, and it is gone when it is closed, by us and by the child.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Linux keeps this directory in memory. */
const directory = "/dev/shm";

/** Not among Node's constants. A part of it is another number on other processors. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;

/** Open, with these bytes in it. Its place is at its end: who reads it opens it anew. Throws what the kernel says. */
export async function memoryFile(content: string | Uint8Array): Promise<FileHandle> {
  const file = await open(directory, O_TMPFILE | constants.O_RDWR, 0o600);
  try {
    await file.writeFile(content);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** All that is in it, wherever its place is. */
export async function contentOf(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}
