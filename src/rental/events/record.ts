// Writes events, in the same transaction as the change they tell of. The only writer of the table; who reads it and
// how it is kept in order is told in event-store.ts.
//
// Invariant: an event's data is for the account's eyes and leaves the house (webhooks): names, ids, states and numbers,
// never a secret, never an env value.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { behind } from "../../database/round-trips.ts";
import { type Work, workChannel } from "../instances/wake.ts";
import type { EventType } from "./event-types.ts";

export interface NewEvent {
  readonly accountId: string;
  /** Subject and what happened, such as "instance.active" or "ssh_key.created". */
  readonly type: EventType;
  /** The UUID of what it happened to. Events of one subject are delivered in order. */
  readonly subjectId: string;
  /** Snake case, as it goes out. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Writes the events in this order, in one statement whose text does not depend on how many they are; and has readers
 * told when the transaction commits (a hint: deliveries and streams look by themselves too).
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const statement = sql`
    with written as (
      insert into events (account_id, type, subject_id, data)
      select account_id, type, subject_id, data::jsonb
      from unnest(
        ${events.map((event) => event.accountId)}::uuid[],
        ${events.map((event) => event.type)}::text[],
        ${events.map((event) => event.subjectId)}::uuid[],
        ${events.map((event) => JSON.stringify(event.data))}::text[]
      ) with ordinality as event (account_id, type, subject_id, data, place)
      order by place
    )
    select pg_notify(${workChannel}, ${"events" satisfies Work})`;
  await behind(statement).execute(tx);
}
