// Deliveries that nobody looks at any more: those that were over a month ago, and those of webhooks that are gone. One of
// the chores (index.ts).

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";

/** How long the delivery log of a webhook goes back. */
const kept = "30 days";
/** At most so many a statement, so that none holds locks for long. */
const batch = 5_000;

/** How many were deleted. */
export async function deleteOldDeliveries(db: Database, signal: AbortSignal): Promise<number> {
  const old = sql`select ctid from webhook_deliveries where finished_at < now() - ${kept}::interval limit ${batch}`;
  // Of each webhook that is gone, whatever it has: a look by index for each webhook, not for each delivery.
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
