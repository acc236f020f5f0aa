// One after the other for each key. Used by create-gpu-helper.ts.
//
// Invariant: between `take` and the call of what it returned, no other holds the same key. Others never wait.

export class Turns {
  /** Resolves when the last one that asked is done. */
  readonly #last = new Map<string, Promise<void>>();

  /** Waits for its turn; the caller ends it with what this returns. Throws the reason of `signal`. */
  async take(key: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const before = this.#last.get(key);
    const { promise: done, resolve: release } = Promise.withResolvers<void>();
    const last = (before ?? Promise.resolve()).then(() => done);
    this.#last.set(key, last);
    void last.then(() => {
      if (this.#last.get(key) === last) this.#last.delete(key);
    });
    try {
      if (before !== undefined) await unlessAborted(before, signal);
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }
}

async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
