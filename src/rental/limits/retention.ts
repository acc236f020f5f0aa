// Lets go of notes that warnings of spend limits were given (spend-limits.ts), when their month is long over. Used by a
// chore. A month is kept beside this one, for a clock that is set back for a while.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { monthStart } from "../billing/cost-sql.ts";

/** How many were deleted. At most one for each limit and month, so they need no batches. */
export async function deleteOldNotices(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from spend_notices where month < ${monthStart} - interval '45 days'`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
