// Reading a variant's table of state words (words.ts of each): which words there are, and which states a word shows.
// The tables themselves are each variant's own. Source: decisions, Instance life, "What each variant shows".

import { Type } from "typebox";
import { type State, states } from "../../rules/lifecycle.ts";
import * as limit from "./documented-limits.ts";
import { pageQuery } from "./paging.ts";

export type StatusLabels = Readonly<Record<State, string>>;

/** The words of a table, each once, in the order of the states. */
export function wordsIn<T extends StatusLabels>(table: T): T[State][] {
  return [...new Set(states.map((state) => table[state]))];
}

/** The states that a table shows as this word; undefined (no filter) where no word is given. */
export function statesShownAs(table: StatusLabels, word: string | undefined): State[] | undefined {
  return word === undefined ? undefined : states.filter((state) => table[state] === word);
}

/** The query of an instance list, whose `?status=` takes the words of this table. */
export function instanceListQuery<T extends StatusLabels>(table: T) {
  return Type.Object({
    ...pageQuery,
    status: Type.Optional(
      Type.Enum(wordsIn(table), { title: "InstanceStatus", description: "Only instances with this status." }),
    ),
    region: Type.Optional(Type.String({ ...limit.name, description: "Only instances in the region of this name." })),
  });
}
