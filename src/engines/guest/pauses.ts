// Who is not asked again yet, of many that are asked all the time: after each failure in a row for twice as long. Used by
// engines that read guests.

/** Longer than a round (rules/guest-metrics.ts), so that the next one is left out. */
const FIRST_MS = 20_000;
const MOST_MS = 240_000;

export class Pauses {
  readonly #clock: () => number;
  readonly #failed = new Map<string, { readonly until: number; readonly times: number }>();

  /** `clock`: in milliseconds, monotonic; for tests. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  has(key: string): boolean {
    return (this.#failed.get(key)?.until ?? 0) > this.#clock();
  }

  begin(key: string): void {
    const times = (this.#failed.get(key)?.times ?? 0) + 1;
    this.#failed.set(key, { until: this.#clock() + Math.min(FIRST_MS * 2 ** (times - 1), MOST_MS), times });
  }

  /** It succeeded, or something has changed. */
  end(key: string): void {
    this.#failed.delete(key);
  }

  /** Forgets all others. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#failed.keys()) if (!keys.has(key)) this.#failed.delete(key);
  }
}
