// Makes the target of a move ready for the bytes of the disk, after everything was checked that would make the copy
// useless. Used by copy.ts.
//
// Invariant: nothing is created on the target before all checks have passed, so a move that is rejected leaves nothing.

import { EngineError, type MachineSpec } from "../../engine.ts";
import { imageOf } from "../create.ts";
import { assignedDevices } from "../host/assigned.ts";
import type { Inventory } from "../host/inventory.ts";
import type { HostConnection } from "../host-connection.ts";
import { volumes } from "../labels.ts";
import { deleteVolume, makeOverlay, poolPath, readImage } from "../volumes.ts";
import { readOne } from "../xml/read.ts";
import { type Disk, readDisk } from "./disk.ts";
import { readMark, writeMark } from "./mark.ts";
import { areSame } from "./same-bytes.ts";
import { shareStorage } from "./shared-storage.ts";

export interface Ends {
  readonly source: HostConnection;
  readonly target: HostConnection;
  /** Of the target. */
  readonly inventory: Inventory;
}

/**
 * From which byte on the disk is to be copied: `copiedBytes`, or 0 if what was copied is not there or belongs to another
 * state of the disk. Throws EngineError, VirshError.
 */
export async function prepareTarget(
  ends: Ends,
  spec: MachineSpec,
  disk: Disk,
  copiedBytes: number,
  signal: AbortSignal,
): Promise<number> {
  const { target } = ends;
  const mark = await readMark(target, spec.id, signal);
  const found = mark === undefined ? undefined : await readDisk(target, spec, signal);
  if (mark === disk.state && found !== undefined && copiedBytes > 0 && copiedBytes <= found.bytes) return copiedBytes;
  await check(ends, spec, disk, found?.bytes ?? 0, signal);
  await writeMark(target, spec.id, disk.state, signal);
  // Left by a copy of another state, or by a create that was interrupted long ago.
  const { pool } = target.settings;
  const existing = await readDisk(target, spec, signal);
  if (existing !== undefined && (existing.capacity !== disk.capacity || existing.bytes > disk.bytes)) {
    await deleteVolume(target, pool, volumes.disk(spec.id), signal);
  }
  const image = await readImage(target, imageOf(target.settings, spec.image).volume, signal);
  await makeOverlay(target, volumes.disk(spec.id), image, disk.capacity, signal);
  return 0;
}

/** `presentBytes`: of the disk, on the target already. */
async function check(
  { source, target, inventory }: Ends,
  { guest, gpuAddresses, image }: MachineSpec,
  disk: Disk,
  presentBytes: number,
  signal: AbortSignal,
): Promise<void> {
  if (guest.fileSystems.length > 0) {
    throw refused("file-system-local", "The machine's file systems are on its host and cannot move.");
  }
  assignedDevices(inventory, gpuAddresses);
  await poolPath(target, signal);
  const { volume } = imageOf(target.settings, image);
  const { path } = await readImage(target, volume, signal);
  // The disk names the file that it is based on.
  if (disk.imagePath !== path) {
    throw refused("image-differs", "The image is stored in another place on the new host.");
  }
  if (!(await areSame(source, target, volume, signal))) {
    throw refused("image-differs", "The image on the new host is not the one that the machine's disk is based on.");
  }
  if (await shareStorage(source, target, signal)) {
    throw refused("storage-shared", "Both hosts have their disks in the same storage, where nothing can be copied.");
  }
  const pool = readOne(await target.virsh.call(["pool-dumpxml", target.settings.pool], { signal }));
  const free = pool.one("available")?.bytes ?? 0;
  if (free + presentBytes < disk.bytes) {
    throw refused("host-storage", "The new host's storage has too little free space for the machine's disk.");
  }
}

function refused(code: string, message: string): EngineError {
  return new EngineError("refused", code, message);
}
