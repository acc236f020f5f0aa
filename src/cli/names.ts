// Finds the object that a word refers to, and the error if none or several match. Pure; used for instances, keys, file
// systems, tokens, webhooks, accounts and hosts, so that all are named in the same ways.

import { didYouMean } from "../config/did-you-mean.ts";
import { CommandError, usageError } from "./command-error.ts";

export interface Choice<Thing> {
  readonly word: string;
  /** The noun for people, such as "instance". */
  readonly what: string;
  /** Lists to search, in order: a match in the first one ends the search. */
  readonly groups: readonly (readonly Thing[])[];
  /** Its full names, in order: ids, then names. */
  readonly names: readonly ((one: Thing) => string)[];
  /** Whether the word matches part of its names. */
  readonly parts: readonly ((one: Thing) => boolean)[];
  /** How to show it if the word is ambiguous. */
  readonly show: (one: Thing) => string;
  /** The command that lists them. */
  readonly list: string;
}

/** The suggestion for an unknown name. `list`: the command that lists them. */
export const listHint = (list: string) => `Run ${list}.`;

/** The one that the word refers to. Throws CommandError if there is none, or several. */
export function chosen<Thing>(choice: Choice<Thing>): Thing {
  const { word, what, groups, names, parts, list } = choice;
  const tests = [...names.map((name) => (one: Thing) => name(one) === word), ...parts];
  for (const group of groups) {
    for (const test of word === "" ? [] : tests) {
      const fitting = group.filter(test);
      const [first, second] = fitting;
      if (first !== undefined && second === undefined) return first;
      if (first !== undefined) throw ambiguous(choice, fitting);
    }
  }
  const known = groups.flat().flatMap((one) => names.map((name) => name(one)));
  const meant = didYouMean(word, known);
  const hint = meant === undefined ? listHint(list) : `Did you mean "${meant}"?`;
  throw new CommandError(`There is no ${what} "${word}".`, hint, { exit: "not-found" });
}

/** For objects with an id and a name: matches either, or a prefix of either. */
export function byIdOrName<Thing extends { readonly id: string; readonly name: string }>(
  word: string,
  things: readonly Thing[],
  { what, list }: { what: string; list: string },
): Thing {
  return chosen({
    word,
    what,
    groups: [things],
    names: [(one) => one.id, (one) => one.name],
    parts: [(one) => one.name.startsWith(word), (one) => word.length >= 4 && one.id.startsWith(word)],
    show: ({ id, name }) => `${name} (${id})`,
    list,
  });
}

function ambiguous<Thing>({ word, what, show }: Choice<Thing>, fitting: readonly Thing[]): CommandError {
  const shown = fitting.slice(0, 10).map((one) => `  ${show(one)}`);
  const more = fitting.length > 10 ? [`  and ${fitting.length - 10} more`] : [];
  return usageError(
    `"${word}" matches ${fitting.length} ${what}s.`,
    ["Use a longer prefix or the ID:", ...shown, ...more].join("\n"),
  );
}
