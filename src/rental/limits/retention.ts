// Deletes records of sent spend limit warnings (spend-limits.ts) and budget alerts (budget-alerts.ts) of past months. Used by a maintenance job. The
// previous month is kept too, in case a clock is set back.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { monthStart } from "../billing/cost-sql.ts";

/** Returns how many. At most one per limit or alert and month, so no batches are needed. */
export async function deleteOldNotices(db: Database): Promise<number> {
  const budgets = await sql`
    delete from budget_notices
    where month < date_trunc('month', now() at time zone 'UTC') - interval '1 month'`.execute(db);
  const { numAffectedRows } = await sql`
    delete from spend_notices where month < ${monthStart} - interval '45 days'`.execute(db);
  return Number((numAffectedRows ?? 0n) + (budgets.numAffectedRows ?? 0n));
}
