// Finds the intended name, for the messages about unknown settings and fields. Pure; used by config/file.ts and by
// cli/known-fields.ts.

import { nearest } from "../rules/spelling.ts";

/** The candidate closest to `word`, or undefined if none is close. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  // The likeliest mistake in the file is the environment's spelling: LESSOR_PORT for port.
  return nearest(word.toLowerCase().replace(/^lessor_/, ""), candidates, 1)[0];
}
