// Deletes records of sent spend limit warnings (spend-limits.ts) of past months. Used by a maintenance job. The
// previous month is kept too, in case a clock is set back.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { monthStart } from "../billing/cost-sql.ts";

/** Returns how many. At most one per limit and month, so no batches are needed. */
export async function deleteOldNotices(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from spend_notices where month < ${monthStart} - interval '45 days'`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
