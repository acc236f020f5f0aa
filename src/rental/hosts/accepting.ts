// The SQL condition of a host that accepts new instances. Used wherever capacity is found, counted or explained.

import { type RawBuilder, sql } from "kysely";
import { acceptingStates } from "../../rules/host-lifecycle.ts";

/** `state`: the column, such as `h.state`. */
export function acceptsInstances(state: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${state} in (${sql.join(acceptingStates.map((accepting) => sql.lit(accepting)))})`;
}
