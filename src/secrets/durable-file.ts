// Writing a file so that it is still there after a power failure. Used by key-file.ts and key-file-change.ts.

import { closeSync, constants, fsyncSync, openSync, writeFileSync } from "node:fs";

/** Writes a new file, mode 0600, down to the disk. Its name is only sure after `syncDirectory`. Throws what node:fs throws. */
export function writeDurably(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Without this a new name may be gone after a power failure, although the bytes are there. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
