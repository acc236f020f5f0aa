// Tells whoever watches the engine when a machine has settled: a timer for each machine that is starting or halting.
// Only hints: the tables and the database's clock say what is. A timer that is lost (the server was restarted, another
// replica began the boot) is set anew when the machine is next looked at. They may be told again, late, out of order or
// not at all, where the world has faults so.

import type { ReportManner } from "./faults.ts";

/** Node counts timers in whole milliseconds and may be one early; a hint before its time would find nothing settled. */
const MARGIN_MS = 2;
/** The longest a Node timer can be; what takes longer is set anew by whoever looks next. */
const LONGEST_MS = 2 ** 31 - 1;

const ordinarily: ReportManner = { copies: 1, heldMs: 0 };

export class Hints {
  readonly #watchers = new Set<(machineId: string) => void>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** What is told after a while, the latest first. */
  readonly #held: string[] = [];
  #heldUntil: NodeJS.Timeout | undefined;

  /** Returns how to stop. */
  watch(onChange: (machineId: string) => void): () => void {
    // An object of its own, so that one function may watch twice and stop once.
    const watcher = (machineId: string) => onChange(machineId);
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /**
   * Calls back in `ms` milliseconds, to tell of the machine; null or Infinity: nothing is to come. Replaces an earlier
   * timer.
   */
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

  /** Hints at the machine now, or in this manner. */
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

  /** Ends all timers and forgets who watched. */
  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    clearTimeout(this.#heldUntil);
    this.#timers.clear();
    this.#watchers.clear();
  }
}
