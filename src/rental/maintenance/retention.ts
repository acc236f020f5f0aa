// Deletes maintenance windows that ended long ago: as long as the audit log is kept. One for which an instance is still
// stopped stays until that starts again. Used by a maintenance job.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";

/** Returns how many. Few enough that no batches are needed. */
export async function deleteOldWindows(db: Database, days: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from maintenance_windows w where ended_at < now() - make_interval(days => ${days})
      and not exists (select from instances i where i.stopped_for = w.id and i.terminated_at is null)`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
