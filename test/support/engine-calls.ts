// How tests of engines call them: within bounds, again until it is so, and to see them fail.

import { expect } from "vitest";

/** Bounds a call of the engine, so that a test that hangs says where. */
export function signal(): AbortSignal {
  return AbortSignal.timeout(10_000);
}

/** Looks until it is as expected: `await eventually(() => value).toBe(…)`. */
export function eventually<T>(look: () => T) {
  return expect.poll(look, { interval: 5, timeout: 30_000 });
}

/** What the call failed with. Throws when it succeeded. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  const outcome = await call.then(
    () => ({ failed: false as const }),
    (error: unknown) => ({ failed: true as const, error }),
  );
  if (!outcome.failed) throw new Error("it succeeded, and should have failed");
  return outcome.error;
}
