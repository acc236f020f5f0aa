// Something that is done again and again, never twice at once. A failure is logged and is no reason to stop.

import { type Log, reason } from "./log.ts";

export interface Periodic {
  /** Does it now, or once more after the run under way, which may have begun too early. Resolves when that has ended. */
  poke(): Promise<void>;
  /** Ends it, and waits for the run under way. */
  stop(): Promise<void>;
}

/** A run is followed by a rest of so many times its length, so that in a very large world a sweep is not all we do. */
const REST = 10;

/**
 * Runs `body` at once, and then `seconds` after each end, or later when it took long: `rest` times as long as the run.
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
