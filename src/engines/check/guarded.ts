// A step of a check that can fail without ending the check. Used by the check of each engine.

import { type Finding, problem, wordsOf } from "./finding.ts";

const failed = "could not be checked: ";

/** Why a step failed, of a finding of `guarded`; undefined: it is a step's own. */
export function causeOf({ detail }: Finding): string | undefined {
  return detail.startsWith(failed) ? detail.slice(failed.length) : undefined;
}

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
    yield problem(what, `${failed}${wordsOf(error)}`, advice);
  }
}
