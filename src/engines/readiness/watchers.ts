// Loops that look again and again until something is so, one for each machine: an engine begins one when it starts a
// machine, so that nobody has to poll it. Used by the real engines, to tell the reconciler at once that a machine is usable.
//
// Invariants: at most one loop for each machine; a look is never begun while another of its loop runs; after `end` or
// `close` returned, no look begins and onSettled is not called for what was ended. It is a hint: what a loop finds, and
// that it gave up, is found out again by whoever asks the engine.

import { setTimeout as sleep } from "node:timers/promises";

/** Says whether it is so. What it throws counts as "not yet". */
export type Check = (signal: AbortSignal) => Promise<boolean>;

export interface Pace {
  /** The first pause between two looks. Default: 50. Each is 1.05 times the one before. */
  readonly everyMs?: number;
  /** The longest pause. Default: 1000. */
  readonly mostMs?: number;
  /** When the loop gives up, quietly; its last look is aborted. Default: 600 000. */
  readonly forMs?: number;
}

export interface ReadinessDependencies {
  /** Called with the machine's id, once, when a look says true. */
  readonly onSettled: (machineId: string) => void;
  /** Waits; rejects when the signal aborts. For tests. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Milliseconds that only rise. For tests. */
  readonly now?: () => number;
}

/** So slowly that a guest which boots in seconds is seen within a twentieth of its boot time. */
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

  /** Begins to look, at once; a loop for the same machine is ended, so the newest look counts. Nothing after `close`. */
  until(machineId: string, look: Check, pace: Pace = {}): void {
    if (this.#closed) return;
    this.end(machineId);
    const loop = new AbortController();
    this.#loops.set(machineId, loop);
    void this.#run(machineId, look, pace, loop);
  }

  /** Whether there is a loop for the machine. */
  has(machineId: string): boolean {
    return this.#loops.has(machineId);
  }

  /** Ends the machine's loop, if there is one, and aborts the look it is at. */
  end(machineId: string): void {
    this.#loops.get(machineId)?.abort();
    this.#loops.delete(machineId);
  }

  /** Ends all of them, for good. */
  close(): void {
    this.#closed = true;
    for (const machineId of [...this.#loops.keys()]) this.end(machineId);
  }

  async #run(machineId: string, look: Check, pace: Pace, loop: AbortController): Promise<void> {
    const { everyMs = 50, mostMs = 1000, forMs = 600_000 } = pace;
    const { signal } = loop;
    const deadline = this.#now() + forMs;
    // A look that hangs must not outlive the loop's time either.
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
    // Before onSettled, which may begin the next loop for the machine.
    this.end(machineId);
    if (isSo) this.#onSettled(machineId);
  }
}

/** Also where the look does not care for its signal: then what it says is lost. */
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
