// Removes a machine with its data, or a file system. Used by engine.ts.
//
// Invariant: the domain is removed last, because an interrupted removal is found by the list of domains.

import { freeReservation } from "./addresses.ts";
import { readOwnDomain } from "./domains.ts";
import type { HostConnection } from "./host-connection.ts";
import { removeFilter } from "./isolation/filters.ts";
import { domainName, fileSystemVolume, volumes } from "./labels.ts";
import { unless } from "./virsh/virsh-error.ts";
import { deleteVolume, memoryPool } from "./volumes.ts";

/** When this resolves nothing of it is left. Throws EngineError not-ours, VirshError. */
export async function removeMachine(place: HostConnection, machineId: string, signal: AbortSignal): Promise<void> {
  const { virsh, settings } = place;
  const name = domainName(machineId);
  // Volumes have no label, so the domain with that name must be ours, or not exist.
  const domain = await readOwnDomain(place, machineId, signal);
  if (domain !== undefined && domain.power !== "off") await cutPower(place, machineId, signal);
  await deleteVolume(place, settings.pool, volumes.disk(machineId), signal);
  await deleteVolume(place, memoryPool, volumes.seed(machineId), signal);
  await deleteVolume(place, memoryPool, volumes.secrets(machineId), signal);
  await freeReservation(place, machineId, signal);
  await removeFilter(place, machineId, signal);
  // Marks a disk that is being copied, so it goes when nothing else is left of that (move/mark.ts).
  await deleteVolume(place, settings.pool, volumes.copying(machineId), signal);
  if (domain === undefined) return;
  // Includes what an operator might have added, which would prevent the removal.
  const order = ["undefine", name, "--nvram", "--managed-save", "--snapshots-metadata", "--checkpoints-metadata"];
  await unless("noSuchDomain", virsh.call(order, { signal }));
  // A concurrent start might have run it in the meantime; without its definition it is gone when it ends.
  await cutPower(place, machineId, signal);
}

/** Powers it off. Does nothing if it is not running. Throws VirshError. */
export async function cutPower({ virsh }: HostConnection, machineId: string, signal: AbortSignal): Promise<void> {
  const ended = unless("notRunning", virsh.call(["destroy", domainName(machineId)], { signal }));
  await unless("noSuchDomain", ended);
}

/** Throws VirshError, also while a machine uses it. */
export async function removeFileSystemOn(
  place: HostConnection,
  fileSystemId: string,
  signal: AbortSignal,
): Promise<void> {
  await deleteVolume(place, place.settings.pool, fileSystemVolume(fileSystemId), signal);
}
