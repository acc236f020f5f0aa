// Filters of event types: globs such as "instance.*", where a star matches any characters, or none. No glob matches
// everything. Invariant: `wants` and `likePatterns` (the same for the database) agree. Used by webhooks, and by readers
// of events and their streams.

import { nearest } from "../../rules/spelling.ts";
import { invalid } from "../errors.ts";
import { eventSubjects, eventTypes } from "./event-types.ts";

export const mostGlobs = 50;

/** At most three stars, so that neither a regular expression nor the database's LIKE can be slow. */
export const globRule = /^(?=.{1,64}$)(?:[a-z0-9_.]*\*){0,3}[a-z0-9_.]*$/;

/**
 * The globs, without duplicates; each matches at least one type of these subjects. Throws RentalError invalid-parameters
 * for `field`.
 */
export function parseGlobs(field: string, globs: readonly string[], subjects = eventSubjects): string[] {
  if (globs.length > mostGlobs) throw invalid(field, `Give at most ${mostGlobs} types.`);
  if (!globs.every((glob) => globRule.test(glob))) {
    throw invalid(
      field,
      "Each is a type such as instance.active, or has up to three stars such as instance.*: 1 to 64 of a-z, 0-9, '_', '.' and '*'.",
    );
  }
  // Otherwise a typing error would silently match nothing.
  const types = eventTypes.filter((type) => subjects.includes(type.split(".")[0] ?? ""));
  const idle = globs.find((glob) => !types.some(wants([glob])));
  if (idle !== undefined) {
    const help = hint(
      idle,
      types,
      subjects.map((subject) => `${subject}.*`),
    );
    throw invalid(field, `No event type matches ${JSON.stringify(idle)}. ${help}`);
  }
  return [...new Set(globs)];
}

/** What was probably meant: types, and all types of one subject. */
function hint(glob: string, types: readonly string[], ofSubjects: readonly string[]): string {
  const meant = nearest(glob, [...ofSubjects, ...types], 3);
  return meant.length > 0 ? `Did you mean ${meant.join(" or ")}?` : `There are ${ofSubjects.join(", ")}.`;
}

/** A function that tells whether an event of this type matches; create it once. */
export function wants(globs: readonly string[]): (type: string) => boolean {
  if (globs.length === 0) return () => true;
  const patterns = globs.map((glob) => new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", ".*")}$`, "s"));
  return (type) => patterns.some((pattern) => pattern.test(type));
}

/** For `type like any(…)`; undefined: all match. */
export function likePatterns(globs: readonly string[]): string[] | undefined {
  return globs.length === 0 ? undefined : globs.map((glob) => glob.replaceAll("_", "\\_").replaceAll("*", "%"));
}
