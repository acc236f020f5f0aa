// The life of a lab, whatever is in it: a slot of its own, a guardian, the network, and the end of all of it.

import type { ChildProcess } from "node:child_process";
import { cleanLab } from "./clean.ts";
import type { Grounds, Kind } from "./grounds.ts";
import { startGuardian } from "./guard.ts";
import { makeNetwork, networkIsFree } from "./network.ts";
import { allSlots, isOurs, release, takeFree } from "./slot.ts";

export interface Standing<L> {
  readonly layout: L;
  /** Removes all of it. Once is enough, twice does no harm. */
  stop(): Promise<void>;
}

/**
 * Takes a slot, makes its network and has `build` do the rest. `guardian` is the program that calls `guard`. Throws what
 * `build` throws; then nothing is left behind.
 */
export async function bringUp<L extends Grounds>(
  kind: Kind<L>,
  guardian: string,
  build: (layout: L) => Promise<void>,
): Promise<Standing<L>> {
  const layout = await takeSlot(kind);
  const guarding = startGuardian(guardian, layout);
  try {
    await makeNetwork(layout);
    await build(layout);
  } catch (error) {
    await takeDown(layout, guarding);
    throw error;
  }
  return { layout, stop: () => takeDown(layout, guarding) };
}

async function takeDown(layout: Grounds, guardian: ChildProcess): Promise<void> {
  if (isOurs(layout)) {
    await cleanLab(layout);
    release(layout);
  }
  guardian.stdin?.end();
}

async function takeSlot<L extends Grounds>(kind: Kind<L>): Promise<L> {
  for (const layout of allSlots(kind)) {
    if (!takeFree(layout)) continue;
    if (await networkIsFree(layout)) return layout;
    release(layout);
  }
  throw new Error("There is no free slot for a lab on this machine.");
}
