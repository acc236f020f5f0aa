// Removes labs: one's own when it is over, and what runs that were killed have left.

import type { Grounds, Kind } from "./grounds.ts";
import { removeNetwork } from "./network.ts";
import { killAllOf } from "./processes.ts";
import { emptyDirectory, release, takeOver, usedSlots } from "./slot.ts";

/** Removes everything of a lab whose slot is ours, but not the slot. Can be repeated, and begun in any state of it. */
export async function cleanLab(lab: Grounds): Promise<void> {
  // The processes first: mounts, containers and sockets go with them.
  await killAllOf(lab);
  await removeNetwork(lab);
  emptyDirectory(lab);
}

/** Removes every lab of the kind whose owner has died. */
export async function cleanAbandonedLabs<L extends Grounds>(kind: Kind<L>, log: (line: string) => void): Promise<void> {
  for (const lab of usedSlots(kind)) {
    if (!takeOver(lab)) continue;
    log(`removing ${lab.directory}, which a killed run left`);
    await cleanLab(lab);
    release(lab);
  }
}
