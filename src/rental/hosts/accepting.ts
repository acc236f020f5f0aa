// The SQL conditions of a host that accepts new instances, used wherever capacity is found, counted or explained, and of
// one that its engine reaches.

import { type RawBuilder, sql } from "kysely";
import { acceptingStates, emptiedStates, reachedStates } from "../../rules/host-lifecycle.ts";

/** `state`: the column, such as `h.state`. */
export function acceptsInstances(state: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${state} in (${sql.join(acceptingStates.map((accepting) => sql.lit(accepting)))})`;
}

/** The same of a host that can be worked on. */
export function isReached(state: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${state} in (${sql.join(reachedStates.map((reached) => sql.lit(reached)))})`;
}

/** The same of a host that is emptied, or worked on. */
export function isEmptied(state: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${state} in (${sql.join(emptiedStates.map((emptied) => sql.lit(emptied)))})`;
}
