// Remembers since when a machine is missing, or halted without having been told to. A missing machine ends its rental,
// so it must be missing in two checks some time apart. Kept in memory with the process's monotonic clock: after a
// restart, or on another replica, the count starts again.

export class Missing {
  readonly #since = new Map<string, number>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Records that it is missing now. True, and forgotten, if it was already missing `seconds` ago. */
  confirm(id: string, seconds: number): boolean {
    const since = this.#since.get(id);
    if (since === undefined) this.#since.set(id, this.#clock());
    else if (this.#clock() - since >= seconds * 1000) return this.#since.delete(id);
    return false;
  }

  seen(id: string): void {
    this.#since.delete(id);
  }

  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#since.keys()) if (!ids.has(id)) this.#since.delete(id);
  }
}
