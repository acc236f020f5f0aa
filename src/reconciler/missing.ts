// Remembers since when a machine is missing, or halted though nobody told it to. A machine that is gone ends its rental,
// so one look is not believed: it has to be missing in two looks that lie some time apart. Kept in memory, by the
// process's monotonic clock: a restart, or another server that looks next, only begins to count anew.

export class Missing {
  readonly #since = new Map<string, number>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Notes that it is missing now. True when it was missing `seconds` ago too; then it is forgotten here. */
  confirm(id: string, seconds: number): boolean {
    const since = this.#since.get(id);
    if (since === undefined) this.#since.set(id, this.#clock());
    else if (this.#clock() - since >= seconds * 1000) return this.#since.delete(id);
    return false;
  }

  /** It was seen. */
  seen(id: string): void {
    this.#since.delete(id);
  }

  /** Forgets all that are not among `ids`. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#since.keys()) if (!ids.has(id)) this.#since.delete(id);
  }
}
