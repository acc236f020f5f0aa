// Counts what came in a minute, by a key: how many requests of a token, of an address. A window begins with the first
// request that is counted in it.
//
// Invariant: memory is bounded; where there are too many keys, those whose windows began first begin anew.
// Why it is our own: it stands in the way of every request, and a library's answer in the shape of a promise takes longer
// than all else that is done for a read from memory. Used by rate-limit.ts.

/** What a window says after one look at it. */
export interface WindowState {
  /** How many more may come in it. */
  readonly remaining: number;
  /** Until it ends, in seconds, at least 1. */
  readonly seconds: number;
  /** More came than may. */
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

  /** At most `most` in a window. `now`: milliseconds that only rise, for tests. */
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

  /** Whether nothing more may come. Counts nothing. */
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
    // Anew at the end of the order, which is that of their beginnings.
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
