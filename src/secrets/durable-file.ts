// Writes files that survive a power failure. Used by key-file.ts and key-file-change.ts.

import { closeSync, constants, fsyncSync, openSync, writeFileSync } from "node:fs";

/** Writes and syncs a new file, mode 0600. Its name is durable only after `syncDirectory`. Throws node:fs errors. */
export function writeDurably(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Without this a new name may be lost in a power failure, although the bytes are there. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
