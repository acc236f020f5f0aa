// A step of a check that can fail without ending the check. Used by the check of each engine.

import { type Finding, problem, wordsOf } from "./finding.ts";

/** The findings of a step; its failure becomes one, with `advice`. Throws only the reason of `signal`. */
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
    const cause = wordsOf(error);
    yield { ...problem(what, `could not be checked: ${cause}`, advice), cause };
  }
}
