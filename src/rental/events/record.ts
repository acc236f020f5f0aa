// Writes events, in the same transaction as the change, and queues the emails that they cause. The only writer of the
// table; event-store.ts describes the order of reading.
//
// Invariant: an event's data is visible to the account and leaves the service (webhooks): names, ids, states and
// numbers, never a secret or an env value.

import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { behind } from "../../database/round-trips.ts";
import { queueEmailsAbout } from "../emails/queue.ts";
import { type Work, workChannel } from "../instances/wake.ts";
import type { EventType } from "./event-types.ts";

export interface NewEvent {
  /** Null: it belongs to no account, and only operators read it. */
  readonly accountId: string | null;
  /** Subject and what happened, such as "instance.active" or "ssh_key.created". */
  readonly type: EventType;
  /** The UUID of the subject. Events of one subject are delivered in order. */
  readonly subjectId: string;
  /** Snake case, as sent. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Writes the events in this order, in one statement with constant text, and notifies readers on commit (a hint:
 * deliveries and streams also poll).
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = sql`
    select account_id, type, subject_id, data::jsonb
    from unnest(
      ${events.map((event) => event.accountId)}::uuid[],
      ${events.map((event) => event.type)}::text[],
      ${events.map((event) => event.subjectId)}::uuid[],
      ${events.map((event) => JSON.stringify(event.data))}::text[]
    ) with ordinality as event (account_id, type, subject_id, data, place)
    order by place`;
  await recordEventsOf(tx, rows);
  await queueEmailsAbout(tx, events);
}

/**
 * The same, but without emails, for those that a query finds, however many: their account_id, type, subject_id and data (jsonb), in order of
 * accounts, whose rows this locks.
 */
export async function recordEventsOf(tx: Transaction, rows: RawBuilder<unknown>): Promise<void> {
  const statement = sql`
    with written as (insert into events (account_id, type, subject_id, data) ${rows})
    select pg_notify(${workChannel}, ${"events" satisfies Work})`;
  await behind(statement).execute(tx);
}
