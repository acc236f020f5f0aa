// Work that runs beside its caller, so that one that hangs delays no other: how much of it runs, and when it has ended.
// Used by what works on GPUs (gpu-partitions.ts, gpu-resets.ts, gpu-validations.ts).

export class BackgroundWork {
  readonly #running = new Set<Promise<void>>();

  get size(): number {
    return this.#running.size;
  }

  /** `failed` is told what it throws. */
  begin(work: Promise<void>, failed: (error: unknown) => void): void {
    const running = work.catch(failed).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when nothing of it runs. Never throws. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
