// Background tasks on machines that continue after an engine call has returned, such as waiting for a guest's grace
// period.
//
// Invariant: one task per machine at a time. A task that fails or is lost with its process does no harm: the next check
// observes the machine and starts again.

export class Tasks {
  readonly #onEnd: (machineId: string) => void;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  /** `onEnd`: a task has ended, so its machine might have changed; not called if it was aborted. */
  constructor(onEnd: (machineId: string) => void) {
    this.#onEnd = onEnd;
  }

  has(machineId: string): boolean {
    return this.#underWay.has(machineId);
  }

  /** Starts it, if none is in progress. Its signal aborts when the tasks are closed. */
  begin(machineId: string, work: (signal: AbortSignal) => Promise<void>): void {
    if (this.has(machineId) || this.#closing.signal.aborted) return;
    const task = work(this.#closing.signal)
      .catch(() => {})
      .then(() => {
        this.#underWay.delete(machineId);
        if (!this.#closing.signal.aborted) this.#onEnd(machineId);
      });
    this.#underWay.set(machineId, task);
  }

  /** Aborts all tasks. Resolves when they have ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the engine is closed"));
    await Promise.all(this.#underWay.values());
  }
}
