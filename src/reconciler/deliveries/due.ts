// The deliveries of a webhook that are due. A delivery that waits for an earlier one of its subject has no
// `next_attempt_at`, so this query need not check order. While the webhook is paused (pauses.ts), only requested
// deliveries are due.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { HeldWebhook } from "./lease-store.ts";

export interface DueDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly subject_id: string;
  readonly body: string;
  readonly asked: boolean;
  readonly tries: number;
}

/** Up to `limit` deliveries, longest due first, without those in `underWay`. */
export async function dueDeliveries(
  db: Database,
  { id, active, paused }: HeldWebhook,
  underWay: readonly string[],
  limit: number,
): Promise<DueDelivery[]> {
  if (limit <= 0) return [];
  const { rows } = await sql<DueDelivery>`
    select id, event_id, event_type, subject_id, body, asked, tries from webhook_deliveries
    where webhook_id = ${id} and status = 'pending' and next_attempt_at <= now() and (asked or ${active})
      and (not ${paused}::boolean or asked and tries = 0)
      and id <> all(${underWay}::uuid[])
    order by next_attempt_at, position limit ${limit}`.execute(db);
  return rows;
}
