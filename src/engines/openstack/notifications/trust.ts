// Whether the notifications of a region tell of all changes, so that Nova can be asked less often. Used by changes.ts.
//
// Invariant: trust is earned by a notification of this connection, and is lost for a while by any change that Nova knew of
// and no notification told: of a host whose nova-compute sends none, or an exchange that was replaced.

import { LRUCache } from "lru-cache";
import type { Hint } from "./message.ts";

const LOST_FOR_MS = 600_000;
const MOST_MACHINES = 10_000;

/** In others a server stays only for a moment. */
const settled: ReadonlySet<string> = new Set(["ACTIVE", "SHUTOFF", "ERROR", "DELETED"]);

export class Trust {
  readonly #now: () => number;
  /** The last status that was told of each machine. */
  readonly #told = new LRUCache<string, string>({ max: MOST_MACHINES });
  /** What the last answer of Nova showed otherwise than it was told: a notification might be on its way. */
  readonly #doubtful = new Set<string>();
  #lostUntil = 0;

  /** `now`: milliseconds that only grow. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isEarned(): boolean {
    return this.#told.size > 0 && this.#now() >= this.#lostUntil;
  }

  /** A connection begins or ends: what was told before says nothing about now. */
  reset(): void {
    this.#told.clear();
    this.#doubtful.clear();
  }

  noteHint({ machineId, status }: Hint): void {
    this.#told.set(machineId, status);
    this.#doubtful.delete(machineId);
  }

  /** An answer of Nova: the machines that have changed. */
  noteAnswer(changed: readonly Hint[]): void {
    if (this.#doubtful.size > 0) this.#lostUntil = this.#now() + LOST_FOR_MS;
    this.#doubtful.clear();
    for (const { machineId, status } of changed) {
      const told = this.#told.get(machineId);
      if (told !== undefined && told !== status && settled.has(status)) this.#doubtful.add(machineId);
    }
  }
}
