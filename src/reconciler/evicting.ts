// Runs the evictor of spot instances (rental/spot/evictor.ts): when something has changed, when a notice is to be followed
// up, and from time to time. Started by reconciler.ts.
//
// Invariant: changes make it run at most once a second, however many there are: a notice takes minutes, and a run reads all
// spot instances.

import type { Evictor } from "../rental/spot/evictor.ts";
import type { FailpointRunner } from "./failpoints.ts";
import type { Log } from "./log.ts";
import { type Periodic, periodically } from "./periodic.ts";

const LEAST_MS = 1000;

export interface Evicting extends Periodic {
  /** Something may have changed: runs it soon. */
  soon(): void;
}

export function startEvicting(evictor: Evictor, pollSeconds: number, log: Log, gate: FailpointRunner): Evicting {
  let due: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let began = Number.NEGATIVE_INFINITY;
  const run = async (signal: AbortSignal): Promise<void> => {
    began = performance.now();
    clearTimeout(due);
    const ms = await evictor.run(signal, gate);
    // What is overdue could not be done, and the poll tries it again.
    if (ms > 0 && ms < pollSeconds * 1000) due = setTimeout(() => void running.poke(), ms + 1);
  };
  const running = periodically("evicting spot instances", pollSeconds, log, run);
  return {
    poke: () => running.poke(),
    soon: () => {
      if (soon !== undefined) return;
      const wait = Math.max(0, began + LEAST_MS - performance.now());
      soon = setTimeout(() => {
        soon = undefined;
        void running.poke();
      }, wait);
    },
    stop: () => {
      clearTimeout(due);
      clearTimeout(soon);
      return running.stop();
    },
  };
}
