// Something that is done again and again, never twice at once. A failure is logged and is no reason to stop.

import { type Log, reason } from "./log.ts";

export interface Periodic {
  /** Ends it, and waits for the run under way. */
  stop(): Promise<void>;
}

/** A run is followed by a rest of so many times its length, so that in a very large world a sweep is not all we do. */
const REST = 10;

/** Runs `body` at once, and then `seconds` after each end, or later when it took long. `stop` aborts `signal`. */
export function periodically(
  name: string,
  seconds: number,
  log: Log,
  body: (signal: AbortSignal) => Promise<void>,
): Periodic {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: NodeJS.Timeout | undefined;

  const run = async (): Promise<void> => {
    const began = performance.now();
    try {
      await body(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ error: reason(error) }, `${name} failed`);
    }
    if (signal.aborted) return;
    const rest = Math.max(seconds * 1000, REST * (performance.now() - began));
    timer = setTimeout(() => {
      current = run();
    }, rest);
  };

  let current = run();
  return {
    stop: async () => {
      controller.abort(new Error(`${name} ends`));
      clearTimeout(timer);
      await current;
    },
  };
}
