// Locks of several instances' rows, taken in order of id, as everybody does who locks several: so that no two wait for each
// other. Used by record-observation.ts and by the reconciler's releases of leases.

import { sql } from "kysely";
import { type Question, question } from "../../database/round-trips.ts";

/**
 * Locks those of these instances that are there, until the transaction ends. A statement of its own, so that the next one
 * sees the rows as they are when it has the locks.
 */
export function lockedInOrder(ids: readonly string[]): Question<undefined> {
  const query = sql`select from instances where id = any(${[...ids]}::uuid[]) order by id for no key update`;
  return question(query, () => undefined);
}
