// Finds the name that somebody probably meant, for the messages about unknown settings and fields. Pure; used by
// config/file.ts and by cli/known-fields.ts.

import { nearest } from "../rules/spelling.ts";

/** The candidate closest to `word`, or undefined where none is close. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  // The environment's spelling of a setting is the likeliest slip in the file: LESSOR_PORT for port.
  return nearest(word.toLowerCase().replace(/^lessor_/, ""), candidates, 1)[0];
}
