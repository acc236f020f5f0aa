// Something that is done again and again, never twice at once. A failure is logged and is no reason to stop.

import { type Log, reason } from "./log.ts";

export interface Periodic {
  /** Ends it, and waits for the run under way. */
  stop(): Promise<void>;
}

/** Runs `body` at once and then `seconds` after each end; `signal` is aborted by `stop`. */
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
    try {
      await body(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ error: reason(error) }, `${name} failed`);
    }
    if (signal.aborted) return;
    timer = setTimeout(() => {
      current = run();
    }, seconds * 1000);
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
