// Finds what a request names: each name once, in the given order. Used for file systems.

import { unknownName } from "./errors.ts";

/** Throws RentalError unknown-name with `field` for the first name that is not among `found`. `what`: for people. */
export function allNamed<T extends { readonly name: string }>(
  found: readonly T[],
  names: readonly string[],
  { field, what }: { field: string; what: string },
): T[] {
  const known = new Map(found.map((one) => [one.name, one]));
  return [...new Set(names)].map((name) => {
    const one = known.get(name);
    if (one === undefined) throw unknownName(field, what, name);
    return one;
  });
}
