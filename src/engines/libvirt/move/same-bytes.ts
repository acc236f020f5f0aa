// Whether two volumes on two hosts are the same, by samples: reading all of both would take as long as a copy. Used for
// the image that a disk is based on, and for the copy of the disk.

import type { HostConnection } from "../host-connection.ts";
import { readVolume, SAMPLE_BYTES, sampleOffsets } from "../images/same-content.ts";
import { transfersOf, type VolumeReader } from "../virsh/transfers.ts";

/** Throws VirshError. Not the same: one of them does not exist. */
export async function areSame(
  one: HostConnection,
  other: HostConnection,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const [mine, theirs] = await Promise.all([readVolume(one, name, signal), readVolume(other, name, signal)]);
  if (mine === undefined || theirs === undefined) return false;
  if (mine.bytes !== theirs.bytes || mine.diskBytes !== theirs.diskBytes || mine.format !== theirs.format) return false;
  return reading(one, name, signal, (first) =>
    reading(other, name, signal, async (second) => {
      for (const offset of sampleOffsets(mine.bytes)) {
        const length = Math.min(SAMPLE_BYTES, mine.bytes - offset);
        const [a, b] = await Promise.all([first.read(offset, length), second.read(offset, length)]);
        if (a.length !== length || !a.equals(b)) return false;
      }
      return true;
    }),
  );
}

/** Opens the volume for the time of `work`. Throws VirshError, and what `work` throws. */
export async function reading<T>(
  { virsh, settings }: HostConnection,
  name: string,
  signal: AbortSignal,
  work: (reader: VolumeReader) => Promise<T>,
): Promise<T> {
  const reader = await transfersOf(virsh).open({ pool: settings.pool, name }, signal);
  try {
    return await work(reader);
  } finally {
    reader.close();
  }
}
