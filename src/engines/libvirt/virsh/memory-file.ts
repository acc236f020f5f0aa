// An unnamed file in memory: virsh reads its input from one and writes output to one. Node's pipes are sockets, which
// cannot be opened as /dev/stdin. Used by virsh.ts.
//
// Invariant: it is on no disk and has no name, and is gone when we and the child have closed it.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Linux keeps this directory in memory. */
const directory = "/dev/shm";

/** Not among Node's constants. Its directory part differs between processors. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;

/** Open, with this content. Its position is at its end; readers open it again. Throws the kernel's error. */
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

/** The whole content, regardless of position. */
export async function contentOf(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}
