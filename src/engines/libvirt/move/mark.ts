// The mark of an incomplete copy: a small volume beside the disk, from before the disk is created until the domain is
// defined. It says which state of the source's disk is being copied.
//
// Invariant: a disk without a domain has this mark if and only if it is a copy. Without either, nothing on a host belongs
// to a move, and nothing is removed.

import type { HostConnection } from "../host-connection.ts";
import { makeRaw } from "../images/unfinished.ts";
import { volumes } from "../labels.ts";
import { fromInput, toOutput } from "../virsh/virsh.ts";
import { unless } from "../virsh/virsh-error.ts";
import { deleteVolume } from "../volumes.ts";

const BYTES = 512;

/** The state that is being copied, "" if the mark was never written; undefined: no copy is there. Throws VirshError. */
export async function readMark(
  { virsh, settings }: HostConnection,
  machineId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const order = ["vol-download", "--pool", settings.pool, volumes.copying(machineId), toOutput];
  const bytes = await unless("noSuchVolume", virsh.bytes(order, { signal }));
  return bytes?.toString("latin1").replace(/[\0\s]+$/, "");
}

/** Creates or changes it. Throws VirshError. */
export async function writeMark(
  place: HostConnection,
  machineId: string,
  state: string,
  signal: AbortSignal,
): Promise<void> {
  const { virsh, settings } = place;
  const name = volumes.copying(machineId);
  await unless("exists", makeRaw(place, name, BYTES, signal));
  const input = Buffer.alloc(BYTES, "\n");
  input.write(state, "latin1");
  await virsh.call(["vol-upload", "--pool", settings.pool, name, fromInput], { input, signal });
}

/** Does nothing if it does not exist. Throws VirshError. */
export async function removeMark(place: HostConnection, machineId: string, signal: AbortSignal): Promise<void> {
  await deleteVolume(place, place.settings.pool, volumes.copying(machineId), signal);
}
