// Runs a function periodically, never twice at once. A failure is logged and does not stop it.

import { type Log, reason } from "./log.ts";

export interface Periodic {
  /** Runs it now, or once more after the current run, which might have begun too early. Resolves when that run has ended. */
  poke(): Promise<void>;
  /** Stops it, and waits for the current run. */
  stop(): Promise<void>;
}

/** When `periodically` runs its body. */
export interface Rhythm {
  /** Seconds until the first run. 0. */
  readonly firstAfter?: number;
  /** A rest at least this many times as long as the run, so that slow runs do not take all the time. 10. */
  readonly rest?: number;
}

/**
 * The `firstAfter` of a job that comes every `seconds`: one that limits costs comes more often than once a minute and is
 * not put off; the others leave the database to the first requests after a start.
 */
export function afterStart(seconds: number, firstJobsSeconds: number): number {
  return seconds < 60 ? 0 : firstJobsSeconds;
}

/**
 * Runs `body` at once or as the rhythm says, and then `seconds` after each end, or later if it needs a longer rest.
 * `stop` aborts `signal`.
 */
export function periodically(
  name: string,
  seconds: number,
  log: Log,
  body: (signal: AbortSignal) => Promise<void>,
  { firstAfter = 0, rest = 10 }: Rhythm = {},
): Periodic {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: NodeJS.Timeout | undefined;
  let poked: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    const began = performance.now();
    try {
      await body(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ error: reason(error) }, `${name} failed`);
    }
    if (!signal.aborted) timer = setTimeout(begin, Math.max(seconds * 1000, rest * (performance.now() - began)));
  };
  const begin = (): Promise<void> => {
    clearTimeout(timer);
    current = run();
    return current;
  };

  let current = Promise.resolve();
  if (firstAfter === 0) void begin();
  else timer = setTimeout(begin, firstAfter * 1000);
  return {
    poke: () => {
      poked ??= current.then(() => {
        poked = undefined;
        return signal.aborted ? undefined : begin();
      });
      return poked;
    },
    stop: async () => {
      controller.abort(new Error(`${name} ends`));
      clearTimeout(timer);
      await poked;
      await current;
    },
  };
}
