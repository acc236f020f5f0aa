// Which deliveries of a webhook are to be attempted now. One that waits for an earlier one of its subject has no
// `next_attempt_at`, so order needs no look here. While the webhook is paused (pauses.ts) it is what was just asked for.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { HeldWebhook } from "./lease-store.ts";

/** A delivery to attempt. */
export interface DueDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly subject_id: string;
  readonly body: string;
  readonly asked: boolean;
  readonly tries: number;
}

/** Up to `limit`, those that have been due longest first, without those of `underWay`. */
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
