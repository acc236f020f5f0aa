// Creates deliveries for the events that a webhook's cursor reaches. Reading needs no lock. Rows and cursor are written
// in one transaction that checks the lease, and only its holder moves the cursor, so each event becomes exactly one
// delivery.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { eventsAfter, parseCursor } from "../../rental/events/event-store.ts";
import { wants } from "../../rental/events/type-globs.ts";
import { deliveryBody } from "../../rental/webhooks/delivery.ts";
import type { Held, HeldWebhook } from "./lease-store.ts";
import type { DeliverySettings } from "./settings.ts";

/** Reads on from the cursor. Returns whether there might be more. */
export async function readOn(
  db: Database,
  held: Held,
  webhook: HeldWebhook,
  { page }: DeliverySettings,
): Promise<boolean> {
  // Includes event types without subscription, so that the cursor passes each of them once.
  const events = await eventsAfter(db, webhook.account_id, webhook.cursor, page);
  const last = events.at(-1);
  if (last === undefined) return false;
  const isWanted = wants(webhook.event_types);
  const wanted = events.filter((event) => isWanted(event.type));
  const cursor = parseCursor(last.cursor);
  await inTransaction(db, async (tx) => {
    const moved = await sql`
      update webhooks set cursor_tx = ${cursor.tx}::xid8, cursor_position = ${cursor.position}::bigint,
        pending = pending + ${wanted.length}
      where id = ${held.id} and lease_owner = ${held.lease_owner}`.execute(tx);
    if (moved.numAffectedRows !== 1n || wanted.length === 0) return;
    // The first delivery of a subject without waiting ones is due at once; the others follow one by one (outcome.ts).
    await sql`
      with reached as (
        select * from unnest(
          ${wanted.map(() => uuidv7())}::uuid[],
          ${wanted.map((event) => event.id)}::uuid[],
          ${wanted.map((event) => event.type)}::text[],
          ${wanted.map((event) => event.subjectId)}::uuid[],
          ${wanted.map(deliveryBody)}::text[]
        ) with ordinality as event (id, event_id, event_type, subject_id, body, place)
      )
      insert into webhook_deliveries (id, webhook_id, event_id, event_type, subject_id, body, next_attempt_at)
      select id, ${held.id}, event_id, event_type, subject_id, body,
        case when row_number() over (partition by subject_id order by place) = 1 and not exists (
          select from webhook_deliveries d
          where d.webhook_id = ${held.id} and d.subject_id = reached.subject_id and d.status = 'pending' and not d.asked)
        then now() end
      from reached order by place`.execute(tx);
  });
  return events.length === page;
}
