// Locks several instances' rows in order of id, like every statement that locks several, so that no deadlock is
// possible. Used by record-observation.ts and by the reconciler's releases of leases.

import { sql } from "kysely";
import { type Question, question } from "../../database/round-trips.ts";

/**
 * Locks the existing ones of these instances until the transaction ends. A separate statement, so that the next one
 * sees the rows as they are under the locks.
 */
export function lockedInOrder(ids: readonly string[]): Question<undefined> {
  const query = sql`select from instances where id = any(${[...ids]}::uuid[]) order by id for no key update`;
  return question(query, () => undefined);
}
