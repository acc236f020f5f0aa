// How long a worker can rely on its lease, by a clock of its own. The database fences every write, but nothing fences
// the engine: a process that was paused, swapped out or cut off from its database while another took over the instance
// would continue with outdated state, and create a machine that is no longer rented.
//
// Invariant: never longer than the database grants it, because it counts from before the statement was sent. Renewed by
// worker.ts; checked by reconcile.ts before each engine call.

import { Interrupted } from "./failure.ts";

/** Milliseconds that only increase, also while the process is paused. */
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

  /** Extends the lease from `since`, when the renewal was sent. */
  renewed(since: number): void {
    this.#since = since;
  }

  /** Throws Interrupted if it might have expired. */
  check(): void {
    if (this.#clock() - this.#since >= this.#seconds * 1000) throw new Interrupted("the lease ran out");
  }
}
