// Work on machines that goes on after an engine has answered, such as waiting out a guest's grace period.
//
// Invariant: one task for a machine at a time. A task that fails or is lost with its process harms nothing: whoever looks
// at the machine next sees what is, and begins anew.

export class Tasks {
  readonly #onEnd: (machineId: string) => void;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  /** `onEnd`: a task is over, so there may be something new to see of its machine; not where it was given up. */
  constructor(onEnd: (machineId: string) => void) {
    this.#onEnd = onEnd;
  }

  has(machineId: string): boolean {
    return this.#underWay.has(machineId);
  }

  /** Begins it, where none is under way. Its signal aborts when the tasks are closed. */
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

  /** Resolves when nothing is under way; what is left is given up. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the engine is closed"));
    await Promise.all(this.#underWay.values());
  }
}
