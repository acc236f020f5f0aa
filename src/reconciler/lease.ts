// How long a worker may believe that its lease still runs, by a clock of its own. The database fences every write, but
// nothing fences the engine: a process that stood still (paused, swapped out, cut off from its database) while another one
// took the instance over would go on with what it saw before, and make a machine that nobody rents any more.
//
// Invariant: never longer than the database grants it, because it is counted from before the statement was sent.
// Used by worker.ts, which renews it, and by reconcile.ts, which asks it before each engine call.

import { Interrupted } from "./failure.ts";

/** Milliseconds that only go forward, also while the process stands still. */
export type Clock = () => number;

export const monotonic: Clock = () => performance.now();

export class Lease {
  readonly #clock: Clock;
  readonly #seconds: number;
  #since: number;

  /** `since`: when the claim was sent, by `clock`. */
  constructor(clock: Clock, seconds: number, since: number) {
    this.#clock = clock;
    this.#seconds = seconds;
    this.#since = since;
  }

  /** It runs anew, from when the renewal was sent. */
  renewed(since: number): void {
    this.#since = since;
  }

  /** Throws Interrupted where it may have run out. */
  check(): void {
    if (this.#clock() - this.#since >= this.#seconds * 1000) throw new Interrupted("the lease ran out");
  }
}
