// Deletes webhook deliveries that finished over a month ago, and those of deleted webhooks. A maintenance job
// (maintenance.ts).

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";

/** Retention of a webhook's delivery log. */
const kept = "30 days";
/** Limits how long one statement holds locks. */
const batch = 5_000;

/** Returns how many were deleted. */
export async function deleteOldDeliveries(db: Database, signal: AbortSignal): Promise<number> {
  const old = sql`select ctid from webhook_deliveries where finished_at < now() - ${kept}::interval limit ${batch}`;
  // One index lookup per deleted webhook, not per delivery.
  const orphaned = sql`
    select d.ctid from webhook_deliveries d
    where d.webhook_id = any(array(
      with recursive ids as (
        (select webhook_id from webhook_deliveries order by webhook_id limit 1)
        union all
        select (select webhook_id from webhook_deliveries where webhook_id > ids.webhook_id order by webhook_id limit 1)
        from ids where ids.webhook_id is not null
      )
      select webhook_id from ids
      where webhook_id is not null and not exists (select from webhooks w where w.id = ids.webhook_id)))
    limit ${batch}`;
  let deleted = 0;
  for (const doomed of [old, orphaned]) {
    for (let some = batch; some === batch && !signal.aborted; ) {
      const { numAffectedRows } = await sql`
        delete from webhook_deliveries where ctid = any(array(${doomed}))`.execute(db);
      some = Number(numAffectedRows ?? 0n);
      deleted += some;
    }
  }
  return deleted;
}
