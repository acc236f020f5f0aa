// Reads a backup's file: first completely, to verify it, and then its records. Both through one open file, so that it
// cannot be replaced in between. Used by operator/restore.ts.

import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import {
  BackupFileError,
  type BackupHeader,
  damaged,
  decodeHeader,
  digestBytes,
  longestHeaderBytes,
} from "./file-format.ts";
import { type BackupRecord, decodeRecords } from "./records.ts";

const pieceBytes = 262_144;

export interface BackupFile extends AsyncDisposable {
  readonly path: string;
  readonly header: BackupHeader;
  /** The whole content, from the start. */
  records(): AsyncIterable<BackupRecord>;
}

/** Opens and verifies the file. Throws BackupFileError for one that is not a backup, newer, truncated or altered. */
export async function openBackup(path: string, signal: AbortSignal): Promise<BackupFile> {
  const handle = await open(path, "r").catch((cause: NodeJS.ErrnoException) => {
    throw new BackupFileError(`${path} cannot be read (${cause.code}).`, { cause });
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new BackupFileError(`${path} is not a regular file. A backup is read twice.`);
    const start = Buffer.alloc(Math.min(stat.size, longestHeaderBytes));
    await handle.read(start, 0, start.length, 0);
    const { header, bodyStart } = decodeHeader(start, path);
    const bodyEnd = stat.size - digestBytes;
    if (bodyEnd <= bodyStart || !(await hasRightSum(handle, bodyEnd, signal))) throw damaged(path);
    return {
      path,
      header,
      records: () => decodeRecords(unpacked(handle, bodyStart, bodyEnd)),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function hasRightSum(handle: FileHandle, bodyEnd: number, signal: AbortSignal): Promise<boolean> {
  const sum = createHash("sha256");
  for await (const chunk of bytesOf(handle, 0, bodyEnd)) {
    signal.throwIfAborted();
    sum.update(chunk);
  }
  const stored = Buffer.alloc(digestBytes);
  await handle.read(stored, 0, digestBytes, bodyEnd);
  return stored.equals(sum.digest());
}

function unpacked(handle: FileHandle, start: number, end: number): AsyncIterable<Buffer> {
  const unpack = createZstdDecompress();
  // Ends both when either ends; the reader gets errors from the second.
  pipeline(bytesOf(handle, start, end), unpack, () => {});
  return unpack;
}

async function* bytesOf(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const { bytesRead, buffer } = await handle.read({
      buffer: Buffer.alloc(Math.min(pieceBytes, end - at)),
      position: at,
    });
    if (bytesRead === 0) return; // truncated in the meantime
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
