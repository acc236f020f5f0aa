// Work that several callers need at the same time, and that is done once for all of them. Used by session.ts and
// microversions.ts.

export class Shared<T> {
  #running: Promise<T> | undefined;

  /** Starts `work`, or joins the one that runs. It goes on if a caller's `signal` ends: others may wait for it. */
  async run(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    this.#running ??= work().finally(() => {
      this.#running = undefined;
    });
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort);
    try {
      return await Promise.race([this.#running, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
}
