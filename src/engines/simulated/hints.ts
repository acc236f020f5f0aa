// Notifies watchers of the engine when a machine has settled, with a timer per machine that is starting or halting.
// These are hints: the tables and the database's clock decide. A lost timer (the replica restarted, or another one
// began the boot) is set again when the machine is next observed. Faults can repeat, delay, reorder or drop hints.

import type { ReportManner } from "./faults.ts";

/** Node timers count whole milliseconds and can fire one early; an early hint would find nothing settled. */
const MARGIN_MS = 2;
/** The longest Node timer; longer ones are set again at the next observation. */
const LONGEST_MS = 2 ** 31 - 1;

const ordinarily: ReportManner = { copies: 1, heldMs: 0 };

export class Hints {
  readonly #watchers = new Set<(machineId: string) => void>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Delayed hints, latest first. */
  readonly #held: string[] = [];
  #heldUntil: NodeJS.Timeout | undefined;

  /** Returns a function that stops it. */
  watch(onChange: (machineId: string) => void): () => void {
    // A separate object, so that one function can watch twice and stop once.
    const watcher = (machineId: string) => onChange(machineId);
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Calls back in `ms` milliseconds; null or Infinity: never. Replaces an earlier timer. */
  settlesIn(machineId: string, ms: number | null, onSettled: () => void): void {
    clearTimeout(this.#timers.get(machineId));
    this.#timers.delete(machineId);
    if (ms === null || ms <= 0 || ms > LONGEST_MS) return;
    const timer = setTimeout(() => {
      this.#timers.delete(machineId);
      onSettled();
    }, Math.ceil(ms) + MARGIN_MS);
    this.#timers.set(machineId, timer);
  }

  /** Sends a hint for the machine, in this manner. */
  tell(machineId: string, { copies, heldMs }: ReportManner = ordinarily): void {
    if (heldMs > 0) this.#hold(machineId, heldMs);
    else for (let copy = 0; copy < copies; copy++) for (const watcher of this.#watchers) watcher(machineId);
  }

  #hold(machineId: string, ms: number): void {
    this.#held.unshift(machineId);
    this.#heldUntil ??= setTimeout(() => {
      this.#heldUntil = undefined;
      for (const held of this.#held.splice(0)) this.tell(held);
    }, ms);
  }

  /** Ends all timers and removes all watchers. */
  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    clearTimeout(this.#heldUntil);
    this.#timers.clear();
    this.#watchers.clear();
  }
}
