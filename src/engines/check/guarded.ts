// A step of a check that may fail by itself, without ending the check. Used by the check of each engine.

import { type Finding, problem, wordsOf } from "./finding.ts";

/** The findings of a step; where it fails, that is one. `advice`: where to look then. Throws only the reason of `signal`. */
export async function* guarded(
  what: string,
  findings: AsyncIterable<Finding>,
  advice: string,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  try {
    yield* findings;
  } catch (error) {
    signal.throwIfAborted();
    yield problem(what, `could not be checked: ${wordsOf(error)}`, advice);
  }
}
