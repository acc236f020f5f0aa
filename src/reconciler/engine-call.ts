// One engine call with a deadline. An engine that ignores its signal still does not keep the caller: the answer that
// comes later is thrown away, which is safe because every call may be repeated.

import { EngineError } from "../engines/engine.ts";

/** The code of the EngineError (`unavailable`) of a call that was not answered in time. */
export const engineTimeout = "engine-timeout";

/**
 * Runs `call` with a signal that fires after `seconds`, or when `outer` does.
 * Throws EngineError `engineTimeout`, the reason of `outer`, or whatever the call throws.
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
    // First, so that the caller gets this reason and not what the engine makes of it.
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
