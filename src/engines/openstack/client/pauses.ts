// How long services ask to be left alone, with Retry-After. Used by client.ts.

import { ApiError } from "./api-error.ts";

/** A longer pause is not waited for: the caller has other work. */
const LONGEST_WAIT_MS = 5_000;

export class Pauses {
  readonly #until = new Map<string, { readonly at: number; readonly status: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Until requests to the service are welcome. `key` is what `note` was given, `service` is for messages. Throws ApiError
   * if that is long, or the reason of `signal`.
   */
  async over(key: string, service: string, signal: AbortSignal): Promise<void> {
    const pause = this.#until.get(key);
    const left = pause === undefined ? 0 : pause.at - this.#now();
    if (pause === undefined || left <= 0) return;
    if (left > LONGEST_WAIT_MS) {
      const seconds = Math.ceil(left / 1000);
      throw new ApiError(pause.status, service, `${service} asked for a pause; it has ${seconds} s left.`, seconds);
    }
    await passed(left, signal);
  }

  /** Notes what a response asks for, and answers it in seconds. */
  note(key: string, status: number, header: (name: string) => string | undefined): number | undefined {
    const text = header("retry-after");
    if (text === undefined || ![413, 429, 503].includes(status)) return undefined;
    // Dates are of the service's clock.
    const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.parse(header("date") ?? "")) / 1000;
    if (!Number.isFinite(seconds) || seconds <= 0) return undefined;
    const bounded = Math.min(Math.ceil(seconds), 3600);
    this.#until.set(key, { at: this.#now() + bounded * 1000, status });
    return bounded;
  }
}

/** Resolves after so many milliseconds; throws the reason of `signal`. */
async function passed(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
