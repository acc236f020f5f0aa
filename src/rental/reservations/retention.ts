// Deletes reservations that were over long ago and cost nothing. Those that were billed stay, with their spans: usage and
// statements name them. Used by a maintenance job.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { reservationStates, reservationTraits } from "../../rules/reservations.ts";

/** States of those that were never active. */
const withoutCost = reservationStates.filter((state) => reservationTraits[state].isWithoutCost);

/** Returns how many. Few enough that no batches are needed. */
export async function deleteOldReservations(db: Database, days: number): Promise<number> {
  const words = sql.join(withoutCost.map((state) => sql.lit(state)));
  const { numAffectedRows } = await sql`
    delete from reservations where state in (${words}) and ended_at < now() - make_interval(days => ${days})`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}
