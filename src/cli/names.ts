// Which of many things a word means, and what to say where it means none or several. Pure; used for instances, keys, file
// systems, tokens, webhooks, accounts and hosts, so that all of them are named in the same ways.

import { didYouMean } from "../config/did-you-mean.ts";
import { CommandError, usageError } from "./command-error.ts";

export interface Choice<Thing> {
  readonly word: string;
  /** As people call it, such as "instance". */
  readonly what: string;
  /** Where to look, in this order: a word that means something in the first is not looked up in the next. */
  readonly groups: readonly (readonly Thing[])[];
  /** What it is called in full, in order: ids, then names. */
  readonly names: readonly ((one: Thing) => string)[];
  /** Whether the word is a part of what it is called. */
  readonly parts: readonly ((one: Thing) => boolean)[];
  /** How it is shown where the word means several. */
  readonly show: (one: Thing) => string;
  /** The command that lists them. */
  readonly list: string;
}

/** What to do about a name that nothing has. `list`: the command that lists them. */
export const listHint = (list: string) => `Run ${list}.`;

/** The one that the word means. Throws CommandError where there is none, or several. */
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

/** One of things that have an id and a name: by either, or by the beginning of either. */
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
