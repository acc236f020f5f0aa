// Deletes what is remembered of hosts once it counts for nothing. A maintenance job (reconciler/maintenance).

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { healthThresholds } from "../../rules/host-health.ts";

/** Days; longer than what availability is told of (outages.ts). */
const outageDays = 90;

/** Returns how many outages were deleted. */
export async function deleteOldHostRecords(db: Database): Promise<number> {
  const { withinSeconds } = healthThresholds.restarts;
  await sql`delete from host_restarts where restarted_at < now() - make_interval(secs => ${withinSeconds})`.execute(db);
  const { numAffectedRows } = await sql`
    delete from host_outages where ended_at < now() - make_interval(days => ${outageDays})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
