// Deletes launches whose wait was over long ago, and lines in which none waits. Used by a maintenance job.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { waitingState } from "../../rules/waiting-launches.ts";

/** Launches at once. */
const BATCH = 1000;

/** Those over for `days`. Returns how many launches. */
export async function deleteOldWaits(db: Database, days: number, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (let last = BATCH; last === BATCH && !signal.aborted; count += last) {
    const { numAffectedRows } = await sql`
      delete from waiting_launches where id in (
        select id from waiting_launches
        where state <> ${sql.lit(waitingState)} and ended_at < now() - make_interval(days => ${days})
        order by ended_at limit ${BATCH} for update skip locked)`.execute(db);
    last = Number(numAffectedRows ?? 0n);
  }
  // A launch that begins to wait holds the row of its line, which is skipped here.
  await sql`
    delete from launch_lines where id in (
      select l.id from launch_lines l
      where not exists (select from waiting_launches w where w.line_id = l.id) for update skip locked)`.execute(db);
  return count;
}
