// Runs a function periodically, never twice at once. A failure is logged and does not stop it.

import { type Log, reason } from "./log.ts";

export interface Periodic {
  /** Runs it now, or once more after the current run, which might have begun too early. Resolves when that run has ended. */
  poke(): Promise<void>;
  /** Stops it, and waits for the current run. */
  stop(): Promise<void>;
}

/** A rest this many times as long as the run, so that slow runs do not take all the time. */
const REST = 10;

/**
 * Runs `body` at once, and then `seconds` after each end, or `rest` times the length of the run if that is longer.
 * `stop` aborts `signal`.
 */
export function periodically(
  name: string,
  seconds: number,
  log: Log,
  body: (signal: AbortSignal) => Promise<void>,
  rest = REST,
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

  let current = run();
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
