// Whether a volume on a host equals a file: by its size, the size of its disk, and samples of its bytes, because
// reading all of it would take as long as sending it.

import { open } from "node:fs/promises";
import type { DiskFile } from "../../images/disk-file.ts";
import type { HostConnection } from "../host-connection.ts";
import { toOutput } from "../virsh/virsh.ts";
import { unless } from "../virsh/virsh-error.ts";
import { readOne } from "../xml/read.ts";

export interface Volume {
  readonly name: string;
  readonly format: string;
  /** Of its file, of the disk in it, and what of the file is stored. */
  readonly bytes: number;
  readonly diskBytes: number;
  readonly storedBytes: number;
}

/** Undefined if it does not exist. Throws VirshError. */
export async function readVolume({ virsh, settings }: HostConnection, name: string, signal: AbortSignal) {
  const text = await unless("noSuchVolume", virsh.call(["vol-dumpxml", "--pool", settings.pool, name], { signal }));
  if (text === undefined) return undefined;
  const xml = readOne(text);
  const [physical, capacity, allocation] = ["physical", "capacity", "allocation"].map((part) => xml.one(part)?.bytes);
  return {
    name,
    format: xml.one("target", "format")?.attribute("type") ?? "raw",
    bytes: physical ?? 0,
    diskBytes: capacity ?? 0,
    storedBytes: allocation ?? 0,
  } satisfies Volume;
}

const SAMPLES = 8;
export const SAMPLE_BYTES = 64 * 1024;

/** `path`: of the file. Throws VirshError, and what reading the file throws. */
export async function sameContent(
  { virsh, settings }: HostConnection,
  volume: Volume,
  file: DiskFile,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (volume.bytes !== file.bytes || volume.format !== file.format) return false;
  if (volume.diskBytes !== file.diskBytes) return false;
  const handle = await open(path);
  try {
    for (const offset of sampleOffsets(file.bytes)) {
      const length = Math.min(SAMPLE_BYTES, file.bytes - offset);
      const part = ["--offset", `${offset}`, "--length", `${length}`];
      const order = ["vol-download", "--pool", settings.pool, volume.name, toOutput, ...part];
      const theirs = await virsh.bytes(order, { signal });
      const ours = await handle.read(Buffer.alloc(length), 0, length, offset);
      if (!theirs.equals(ours.buffer.subarray(0, ours.bytesRead))) return false;
    }
    return true;
  } finally {
    await handle.close();
  }
}

export function sampleOffsets(bytes: number): number[] {
  const last = Math.max(bytes - SAMPLE_BYTES, 0);
  const offsets = Array.from({ length: SAMPLES }, (_, index) => Math.floor((last * index) / (SAMPLES - 1)));
  return [...new Set(offsets)];
}
