// One engine call with a deadline. If an engine ignores its signal, its late result is discarded; this is safe because
// every call can be repeated.

import { EngineError } from "../engines/engine.ts";

/** The code of the EngineError (`unavailable`) of a call that timed out. */
export const engineTimeout = "engine-timeout";

/**
 * Runs `call` with a signal that fires after `seconds`, or when `outer` does. Throws EngineError `engineTimeout`, the
 * reason of `outer`, or what the call throws.
 */
export async function engineCall<T>(
  seconds: number,
  outer: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted();
  const controller = new AbortController();
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  const interrupt = (error: unknown) => {
    // First, so that the caller gets this reason and not the engine's own error.
    reject(error);
    controller.abort(error);
  };
  const late = () => interrupt(new EngineError("unavailable", engineTimeout, `No answer within ${seconds} seconds.`));
  const ended = () => interrupt(outer.reason);
  const timer = setTimeout(late, seconds * 1000);
  outer.addEventListener("abort", ended, { once: true });
  try {
    return await Promise.race([interrupted, call(controller.signal)]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", ended);
  }
}
