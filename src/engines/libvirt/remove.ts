// Removes a machine with its data, or a file system. Used by engine.ts.
//
// Invariant: the domain goes last, because the list of domains is how what was left half removed is found again.

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
  // The volumes bear no mark, so the domain of that name must be ours, or not there.
  const domain = await readOwnDomain(place, machineId, signal);
  if (domain !== undefined && domain.power !== "off") await cutPower(place, machineId, signal);
  await deleteVolume(place, settings.pool, volumes.disk(machineId), signal);
  await deleteVolume(place, memoryPool, volumes.seed(machineId), signal);
  await deleteVolume(place, memoryPool, volumes.secrets(machineId), signal);
  await freeReservation(place, machineId, signal);
  await removeFilter(place, machineId, signal);
  if (domain === undefined) return;
  // With what an operator may have added to it, which would keep it from going.
  const order = ["undefine", name, "--nvram", "--managed-save", "--snapshots-metadata", "--checkpoints-metadata"];
  await unless("noSuchDomain", virsh.call(order, { signal }));
  // A start that was under way may have run it since it was looked at; without its definition it is gone when it ends.
  await cutPower(place, machineId, signal);
}

/** Ends what runs, at once. Nothing to do where nothing does. Throws VirshError. */
export async function cutPower({ virsh }: HostConnection, machineId: string, signal: AbortSignal): Promise<void> {
  const ended = unless("notRunning", virsh.call(["destroy", domainName(machineId)], { signal }));
  await unless("noSuchDomain", ended);
}

/** Throws VirshError, also while a machine has it. */
export async function removeFileSystemOn(
  place: HostConnection,
  fileSystemId: string,
  signal: AbortSignal,
): Promise<void> {
  await deleteVolume(place, place.settings.pool, fileSystemVolume(fileSystemId), signal);
}
