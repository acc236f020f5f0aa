// A delivery: one event for one webhook, with the result of each attempt. The reconciler inserts it when the webhook's
// cursor reaches the event (reconciler/deliveries/outbox.ts); requested ones are inserted here.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { RentalError } from "../errors.ts";
import { wakeReconciler } from "../instances/wake.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import type { AttemptError } from "./attempt-errors.ts";
import { lockWebhook, readWebhook } from "./webhook-store.ts";

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One attempt as stored. Snake case: the database value is shown unchanged. */
export interface Attempt {
  /** ISO 8601: when it ended. */
  readonly at: string;
  /** Null if there was no response. */
  readonly status_code: number | null;
  readonly milliseconds: number;
  /** Null: delivered. */
  readonly error: AttemptError | null;
  /** The response body, at most its first KiB. */
  readonly answer: string;
}

/** Stored attempts per delivery, the last ones. */
export const attemptsKept = 50;

/** Maximum of unfinished requested deliveries per webhook, so that tests cannot fill the database. */
export const mostAsked = 100;

export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  /** Requested: a test or a resend. */
  readonly asked: boolean;
  readonly attempts: number;
  /** Null while it waits for an earlier one of the same subject, and when it is finished. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface DeliveryInFull extends Delivery {
  /** The request body. */
  readonly body: string;
  readonly log: readonly Attempt[];
}

/** The body of an event: the same bytes for every attempt and webhook. */
export function deliveryBody(event: { id: string; type: string; timestamp: Date; data: unknown }): string {
  const { id, type, timestamp, data } = event;
  return JSON.stringify({ id, type, timestamp: timestamp.toISOString(), data });
}

/** Absent fields do not filter. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  /** Older than the delivery with this id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface DeliveryPage {
  readonly deliveries: Delivery[];
  /** `before` of the next page; undefined: the last page. Other pages can be short or empty. */
  readonly goOnBefore: string | undefined;
}

/** How many deliveries are read for one page of a filtered list. */
const walkLength = 5_000;

/**
 * A page of the webhook's deliveries, newest first. It is cheap for rare statuses too: it reads a limited number of
 * deliveries along an index. `walk`: for tests. Throws RentalError unknown-object.
 */
export async function listDeliveries(
  db: Database,
  principal: Principal,
  webhookId: string,
  { status, before = newestId, limit }: DeliveryFilter,
  walk = walkLength,
): Promise<DeliveryPage> {
  const webhook = await readWebhook(db, principal, webhookId);
  const walkAtMost = status === undefined ? limit + 1 : Math.max(walk, limit + 1);
  const ofStatus = status === undefined ? sql`` : sql`where status = ${status}`;
  const { rows } = await sql<(DeliveryRow & WalkEnd) | EmptyWalk>`
    with walked as materialized (
      select ${columns} from webhook_deliveries
      where webhook_id = ${webhook.id} and id < ${before}::uuid order by id desc limit ${walkAtMost}),
    found as (select * from walked ${ofStatus} order by id desc limit ${limit + 1}),
    walk_end as (select id as end_id, (select count(*)::integer from walked) as walked
      from walked order by id limit 1)
    select ${columns}, end_id, walked
    from walk_end left join found on true order by id desc`.execute(db);
  const found = rows.filter((row): row is DeliveryRow & WalkEnd => row.id !== null).map(fromRow);
  const deliveries = found.slice(0, limit);
  if (found.length > limit) return { deliveries, goOnBefore: deliveries.at(-1)?.id };
  const [end] = rows;
  return { deliveries, goOnBefore: end?.walked === walkAtMost ? end.end_id : undefined };
}

/** Greater than every UUID v7. */
const newestId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

interface WalkEnd {
  end_id: string;
  walked: number;
}

interface EmptyWalk extends WalkEnd {
  id: null;
}

/** Throws RentalError unknown-object for the webhook or the delivery. */
export async function readDelivery(
  db: Database,
  principal: Principal,
  webhookId: string,
  id: string,
): Promise<DeliveryInFull> {
  const webhook = await readWebhook(db, principal, webhookId);
  const { rows } = await sql<DeliveryRow & { body: string; log: Attempt[] }>`
    select ${columns}, body, log from webhook_deliveries
    where id = ${asUuid(id)} and webhook_id = ${webhook.id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw unknownDelivery(id);
  return { ...fromRow(row), body: row.body, log: row.log };
}

/**
 * A `webhook.test` event for this webhook alone, delivered now, also if it is disabled. Throws RentalError
 * unknown-object, quota-exceeded.
 */
export async function testWebhook(tx: Transaction, principal: Principal, webhookId: string): Promise<Delivery> {
  const webhook = await lockWebhook(tx, principal, webhookId);
  await takeAsked(tx, webhook.id);
  const { rows: clock } = await sql<{ now: Date }>`select now() as now`.execute(tx);
  const event = {
    id: randomUUID(),
    type: "webhook.test",
    timestamp: clock[0]?.now ?? new Date(),
    data: { webhook_id: webhook.id },
  };
  const { rows } = await sql<DeliveryRow>`
    insert into webhook_deliveries (id, webhook_id, event_id, event_type, subject_id, body, asked, next_attempt_at)
    values (${uuidv7()}, ${webhook.id}, ${event.id}, ${event.type}, ${webhook.id}, ${deliveryBody(event)}, true, now())
    returning ${columns}`.execute(tx);
  await countPending(tx, webhook.id);
  return made(rows[0]);
}

/**
 * Sends it again now: a finished one starts again and waits for no other, also if the webhook is disabled; an
 * unfinished one is tried at once (or the earlier one that it waits for). Throws RentalError unknown-object,
 * quota-exceeded.
 */
export async function resend(tx: Transaction, principal: Principal, webhookId: string, id: string): Promise<Delivery> {
  const webhook = await lockWebhook(tx, principal, webhookId);
  const again = await sql<DeliveryRow>`
    update webhook_deliveries set status = 'pending', asked = true, tries = 0, next_attempt_at = now(), finished_at = null
    where id = ${asUuid(id)} and webhook_id = ${webhook.id} and status <> 'pending'
    returning ${columns}`.execute(tx);
  if (again.rows.length > 0) {
    await takeAsked(tx, webhook.id, 0);
    await countPending(tx, webhook.id);
    return made(again.rows[0]);
  }
  await sql`
    update webhook_deliveries d set next_attempt_at = now() from webhook_deliveries wanted
    where wanted.id = ${asUuid(id)} and wanted.webhook_id = ${webhook.id} and d.webhook_id = ${webhook.id}
      and d.status = 'pending' and d.next_attempt_at > now()
      and (d.id = wanted.id or not wanted.asked and not d.asked and d.subject_id = wanted.subject_id)`.execute(tx);
  await sql`update webhooks set paused_until = null where id = ${webhook.id}`.execute(tx);
  await wakeReconciler(tx, "webhooks");
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from webhook_deliveries where id = ${asUuid(id)} and webhook_id = ${webhook.id}`.execute(tx);
  if (rows.length === 0) throw unknownDelivery(id);
  return made(rows[0]);
}

/** Counts under the webhook's lock. `requested`: how many are about to be inserted. Throws RentalError quota-exceeded. */
async function takeAsked(tx: Transaction, webhookId: string, requested = 1): Promise<void> {
  // Unfinished requested ones always have a next attempt, so this uses the index of due deliveries.
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from webhook_deliveries
    where webhook_id = ${webhookId} and status = 'pending' and next_attempt_at is not null and asked`.execute(tx);
  const used = (rows[0]?.count ?? 0) + requested - 1;
  if (used < mostAsked) return;
  throw new RentalError("quota-exceeded", {
    what: "tests_and_resends_under_way",
    limit: mostAsked,
    used,
    requested: 1,
  });
}

async function countPending(tx: Transaction, webhookId: string): Promise<void> {
  await sql`update webhooks set pending = pending + 1 where id = ${webhookId}`.execute(tx);
  await wakeReconciler(tx, "webhooks");
}

interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly status: DeliveryStatus;
  readonly asked: boolean;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

const columns = sql.raw("id, event_id, event_type, status, asked, attempts, next_attempt_at, created_at, finished_at");

function fromRow(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    eventId: row.event_id,
    eventType: row.event_type,
    status: row.status,
    asked: row.asked,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

function made(row: DeliveryRow | undefined): Delivery {
  if (row === undefined) throw new Error("BUG: a statement that returns a row returned none");
  return fromRow(row);
}

function unknownDelivery(id: string): RentalError {
  return new RentalError("unknown-object", { what: "delivery", ids: [id] });
}
