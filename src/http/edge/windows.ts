// Counts events per minute by a key: the requests of a token or an address. A window begins with the first request that
// is counted in it.
//
// Invariant: memory is limited; with too many keys, those whose windows began first restart. No library, because every
// request passes through it: the promises of a library take longer than the rest of a cached read. Used by
// rate-limit.ts and control/billing/vouchers.ts.

/** The state of a window. */
export interface WindowState {
  /** How many more are allowed in it. */
  readonly remaining: number;
  /** Until it ends, in seconds, at least 1. */
  readonly seconds: number;
  /** More came than allowed. */
  readonly isExceeded: boolean;
}

interface Window {
  count: number;
  readonly endsAt: number;
}

export class Windows {
  readonly #windows = new Map<string, Window>();
  readonly #most: number;
  readonly #keys: number;
  readonly #windowMs: number;
  readonly #now: () => number;

  /** At most `most` in a window. `now`: monotonic milliseconds, for tests. */
  constructor({ most, keys = 100_000, windowMs = 60_000, now = () => performance.now() }: WindowSettings) {
    this.#most = most;
    this.#keys = keys;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Counts one more. */
  count(key: string): WindowState {
    const now = this.#now();
    const window = this.#current(key, now) ?? this.#open(key, now);
    window.count += 1;
    return this.#stateOf(window, now);
  }

  /** Counts nothing. */
  look(key: string): WindowState {
    const now = this.#now();
    return this.#stateOf(this.#current(key, now) ?? { count: 0, endsAt: now + this.#windowMs }, now);
  }

  /** Whether nothing more is allowed. Counts nothing. */
  isUsedUp(key: string): boolean {
    const window = this.#windows.get(key);
    const count = window === undefined || window.endsAt <= this.#now() ? 0 : window.count;
    return count >= this.#most;
  }

  #current(key: string, now: number): Window | undefined {
    const window = this.#windows.get(key);
    return window === undefined || window.endsAt <= now ? undefined : window;
  }

  #open(key: string, now: number): Window {
    // Moved to the end of the order, which is by their beginnings.
    this.#windows.delete(key);
    if (this.#windows.size >= this.#keys) {
      for (const [oldest] of this.#windows) {
        this.#windows.delete(oldest);
        break;
      }
    }
    const window = { count: 0, endsAt: now + this.#windowMs };
    this.#windows.set(key, window);
    return window;
  }

  #stateOf({ count, endsAt }: Window, now: number): WindowState {
    return {
      remaining: Math.max(0, this.#most - count),
      seconds: Math.max(1, Math.ceil((endsAt - now) / 1000)),
      isExceeded: count > this.#most,
    };
  }
}

export interface WindowSettings {
  readonly most: number;
  /** How many keys are counted at once. One takes about 150 bytes. */
  readonly keys?: number;
  readonly windowMs?: number;
  readonly now?: () => number;
}
