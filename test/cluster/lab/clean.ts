// Removes labs: one's own when it is over, and what runs that were killed have left.

import type { Layout } from "./layout.ts";
import { removeNetwork } from "./network.ts";
import { killAllOf } from "./processes.ts";
import { emptyDirectory, release, takeOver, usedSlots } from "./slot.ts";

/** Removes everything of a lab whose slot is ours, but not the slot. Can be repeated, and begun in any state of it. */
export async function cleanLab(layout: Layout): Promise<void> {
  // The processes first: mounts, containers and sockets go with them.
  await killAllOf(layout);
  await removeNetwork(layout);
  emptyDirectory(layout);
}

/** Removes every lab whose owner has died. */
export async function cleanAbandonedLabs(log: (line: string) => void): Promise<void> {
  for (const layout of usedSlots()) {
    if (!takeOver(layout)) continue;
    log(`removing ${layout.prefix}, which a killed run left`);
    await cleanLab(layout);
    release(layout);
  }
}
