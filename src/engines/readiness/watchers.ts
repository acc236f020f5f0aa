// Loops that repeat a check until it succeeds, one per machine: an engine starts one with a machine, so that no poll is
// needed. Used by the real engines to tell the reconciler at once that a machine is ready.
//
// Invariants: at most one loop per machine; checks of a loop do not overlap; after `end` or `close` returned, no check
// starts and onSettled is not called. It is only a hint: the same result can be read from the engine.

import { setTimeout as sleep } from "node:timers/promises";

/** Whether the condition holds. An error counts as "not yet". */
export type Check = (signal: AbortSignal) => Promise<boolean>;

export interface Pace {
  /** The first pause between checks. Default: 50. Each further pause is 1.05 times as long. */
  readonly everyMs?: number;
  /** The longest pause. Default: 1000. */
  readonly mostMs?: number;
  /** When the loop gives up silently; its last check is aborted. Default: 600 000. */
  readonly forMs?: number;
}

export interface ReadinessDependencies {
  /** Called once with the machine's id, when a check returns true. */
  readonly onSettled: (machineId: string) => void;
  /** Waits; rejects when the signal aborts. For tests. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Monotonic milliseconds. For tests. */
  readonly now?: () => number;
}

/** So slow that readiness is noticed within a twentieth of the boot time. */
const growth = 1.05;

export class ReadinessWatchers {
  readonly #loops = new Map<string, AbortController>();
  readonly #onSettled: ReadinessDependencies["onSettled"];
  readonly #pause: NonNullable<ReadinessDependencies["pause"]>;
  readonly #now: NonNullable<ReadinessDependencies["now"]>;
  #closed = false;

  constructor({ onSettled, pause, now }: ReadinessDependencies) {
    this.#onSettled = onSettled;
    this.#pause = pause ?? ((milliseconds, signal) => sleep(milliseconds, undefined, { signal, ref: false }));
    this.#now = now ?? (() => performance.now());
  }

  /** Starts to check at once; replaces the machine's previous loop. Does nothing after `close`. */
  until(machineId: string, look: Check, pace: Pace = {}): void {
    if (this.#closed) return;
    this.end(machineId);
    const loop = new AbortController();
    this.#loops.set(machineId, loop);
    void this.#run(machineId, look, pace, loop);
  }

  has(machineId: string): boolean {
    return this.#loops.has(machineId);
  }

  /** Ends the machine's loop, if any, and aborts its check. */
  end(machineId: string): void {
    this.#loops.get(machineId)?.abort();
    this.#loops.delete(machineId);
  }

  /** Ends all loops permanently. */
  close(): void {
    this.#closed = true;
    for (const machineId of [...this.#loops.keys()]) this.end(machineId);
  }

  async #run(machineId: string, look: Check, pace: Pace, loop: AbortController): Promise<void> {
    const { everyMs = 50, mostMs = 1000, forMs = 600_000 } = pace;
    const { signal } = loop;
    const deadline = this.#now() + forMs;
    // A hanging check must end with the loop.
    const overdue = new AbortController();
    void this.#pause(forMs, signal).then(
      () => overdue.abort(),
      () => {},
    );
    const either = AbortSignal.any([signal, overdue.signal]);
    let isSo = false;
    for (let pauseMs = everyMs; ; pauseMs = Math.min(pauseMs * growth, mostMs)) {
      isSo = await lookedAt(look, either);
      if (isSo || either.aborted || this.#now() + pauseMs > deadline) break;
      await this.#pause(pauseMs, either).catch(() => {});
      if (either.aborted) break;
    }
    if (signal.aborted) return;
    // Before onSettled, which can start the machine's next loop.
    this.end(machineId);
    if (isSo) this.#onSettled(machineId);
  }
}

/** Also if the check ignores its signal: then its result is discarded. */
async function lookedAt(look: Check, signal: AbortSignal): Promise<boolean> {
  const { promise: aborted, resolve } = Promise.withResolvers<false>();
  const abort = () => resolve(false);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([look(signal), aborted]);
  } catch {
    return false;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
