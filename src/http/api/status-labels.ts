// Reading a variant's table of status labels (status-labels.ts of each): its labels, and the states of a label. Each
// variant has its own table. Source: decisions, Instance life, "What each variant shows".

import { Type } from "typebox";
import { type State, states } from "../../rules/lifecycle.ts";
import * as limit from "./documented-limits.ts";
import { pageQuery } from "./paging.ts";

export type StatusLabels = Readonly<Record<State, string>>;

/** The labels of a table, each once, in the order of the states. */
export function wordsIn<T extends StatusLabels>(table: T): T[State][] {
  return [...new Set(states.map((state) => table[state]))];
}

/** The states with this label; undefined (no filter) without a label. */
export function statesShownAs(table: StatusLabels, word: string | undefined): State[] | undefined {
  return word === undefined ? undefined : states.filter((state) => table[state] === word);
}

/** The query of an instance list, whose `?status=` takes the labels of this table. */
export function instanceListQuery<T extends StatusLabels>(table: T) {
  return Type.Object({
    ...pageQuery,
    status: Type.Optional(
      Type.Enum(wordsIn(table), { title: "InstanceStatus", description: "Only instances with this status." }),
    ),
    region: Type.Optional(Type.String({ ...limit.name, description: "Only instances in the region of this name." })),
  });
}
