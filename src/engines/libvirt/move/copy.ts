// Copies a halted machine to another host: its disk in parts, and then its domain. Used by mover.ts.
//
// Invariants. The source is only read. The domain is defined on the target last, when the disk is complete and verified,
// so whatever is interrupted is either continued or an incomplete copy with its mark. A domain that is on the target
// counts as this copy only if it was made of the disk as the source has it now.
//
// libvirt does not flush what it writes to the host's disk. The guest does when it mounts its file systems, long before
// it is ready, and only then the source may be removed.

import { EngineError, type MachineSpec, type MoveProgress, noSuchMachine } from "../../engine.ts";
import { defineHalted } from "../create.ts";
import { type Domain, readOwnDomain } from "../domains.ts";
import type { HostConnection } from "../host-connection.ts";
import { volumes } from "../labels.ts";
import { transfersOf, type VolumeReader } from "../virsh/transfers.ts";
import { type Disk, readDisk } from "./disk.ts";
import { removeMark } from "./mark.ts";
import { type Ends, prepareTarget } from "./prepare.ts";
import { areSame, reading } from "./same-bytes.ts";

/** How long one call copies. libvirt reads the target's pool anew after each. */
const COPY_MS = 5000;
/** One part is sent while the next is received. */
const PART_BYTES = 4 * 1024 * 1024;

export interface CopyPace {
  readonly copyMs: number;
  readonly partBytes: number;
}

export const usualPace: CopyPace = { copyMs: COPY_MS, partBytes: PART_BYTES };

/** As `Mover.copy` of the contract. Throws EngineError, VirshError. */
export async function copyMachine(
  ends: Ends,
  spec: MachineSpec,
  copiedBytes: number,
  pace: CopyPace,
  signal: AbortSignal,
): Promise<MoveProgress> {
  const { source, target } = ends;
  const [before, made] = await Promise.all([
    readOwnDomain(source, spec.id, signal),
    readOwnDomain(target, spec.id, signal),
  ]);
  const disk = before === undefined ? undefined : await readDisk(source, spec, signal);
  if (made !== undefined) {
    refuseEarlier(made, disk);
    await removeMark(target, spec.id, signal);
    return complete((await readDisk(target, spec, signal))?.bytes ?? 0);
  }
  if (before === undefined || disk === undefined) {
    throw new EngineError("unavailable", noSuchMachine, `Machine ${spec.id} is not on the host that it moves from.`);
  }
  refuseRunning(before);
  const from = await prepareTarget(ends, spec, disk, copiedBytes, signal);
  const to = await copyPart(source, target, spec.id, { from, end: disk.bytes }, pace, signal);
  if (to < disk.bytes) return { isComplete: false, copiedBytes: to, totalBytes: disk.bytes };
  if (!(await isWhole(ends, spec, disk, signal))) {
    return { isComplete: false, copiedBytes: 0, totalBytes: disk.bytes };
  }
  await defineHalted(target, ends.inventory, spec, disk.state, signal);
  await removeMark(target, spec.id, signal);
  return complete(disk.bytes);
}

function complete(bytes: number): MoveProgress {
  return { isComplete: true, copiedBytes: bytes, totalBytes: bytes };
}

/** What an earlier move has left there has another disk. */
function refuseEarlier(made: Domain, disk: Disk | undefined): void {
  if (disk === undefined || made.power !== "off" || made.copied === disk.state) return;
  throw new EngineError("refused", "host-has-copy", "An earlier copy of the machine is still on the new host.");
}

function refuseRunning({ power }: Domain): void {
  if (power === "off") return;
  throw new EngineError("unavailable", "machine-running", "The machine is not halted.");
}

/** The copy is as large as the source and equals it in samples, and the source was neither started nor written to. */
async function isWhole(
  { source, target }: Ends,
  { id }: MachineSpec,
  { state }: Disk,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await areSame(source, target, volumes.disk(id), signal))) return false;
  const domain = await readOwnDomain(source, id, signal);
  if (domain !== undefined) refuseRunning(domain);
  return (await readDisk(source, { id }, signal))?.state === state;
}

interface Part {
  readonly from: number;
  readonly end: number;
}

/** Copies for some seconds; gives up to which byte libvirt has confirmed everything. Throws VirshError. */
async function copyPart(
  source: HostConnection,
  target: HostConnection,
  machineId: string,
  { from, end }: Part,
  { copyMs, partBytes }: CopyPace,
  signal: AbortSignal,
): Promise<number> {
  if (from >= end) return end;
  const until = performance.now() + copyMs;
  let at = from;
  const parts = async function* (reader: VolumeReader) {
    const read = (offset: number) => {
      const part = reader.read(offset, Math.min(partBytes, end - offset));
      // It fails where it is awaited, if it still is.
      part.catch(() => {});
      return part;
    };
    for (let next: Promise<Buffer> | undefined = read(from); next !== undefined; ) {
      const bytes = await next;
      if (bytes.length === 0) throw new Error("the disk is shorter than libvirt says");
      at += bytes.length;
      next = at < end && performance.now() < until ? read(at) : undefined;
      yield bytes;
    }
  };
  const volume = { pool: target.settings.pool, name: volumes.disk(machineId) };
  await reading(source, volumes.disk(machineId), signal, (reader) =>
    transfersOf(target.virsh).write(volume, from, parts(reader), signal),
  );
  return at;
}
