// The SQL of webhook leases: which webhooks have something due, and which replica works on each. The holder of a lease
// alone moves the webhook's cursor and attempts its deliveries. A lease is a token (`lease_owner`, new for each claim)
// and a time, and every write checks the token. On release, `lease_until` records the time, so that the webhook whose
// run was longest ago is claimed first.

import { type Selectable, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { WebhooksTable } from "../../database/tables/events.ts";
import { originIsFailing, originIsPaused } from "./pauses.ts";
import type { DeliverySettings } from "./settings.ts";

/** A claimed webhook and the lease on it. */
export interface Held {
  readonly id: string;
  readonly lease_owner: string;
  readonly troubled: boolean;
}

/** The webhook as it is now; its former secret only if that still signs. */
export type HeldWebhook = Pick<
  Selectable<WebhooksTable>,
  | "id"
  | "account_id"
  | "url"
  | "event_types"
  | "active"
  | "troubled"
  | "pending"
  | "secret_sealed"
  | "previous_secret_sealed"
> & {
  readonly cursor: string;
  /** Nothing is delivered for an inactive account. */
  readonly account_active: boolean;
  readonly origin: string;
  /** Only requested deliveries are attempted. */
  readonly paused: boolean;
  /** It was paused and has not succeeded since: one attempt at a time. */
  readonly probing: boolean;
  /** Nothing is attempted. */
  readonly origin_paused: boolean;
  /** Each attempt needs `takeProbe`. */
  readonly origin_failing: boolean;
};

/** How many more webhooks a replica works on: of those whose last attempt failed or was slow, and of the others. */
export interface Room {
  readonly troubled: number;
  readonly untroubled: number;
}

/**
 * Claims up to so many webhooks of each kind, with a due delivery or an event behind the cursor. A disabled
 * webhook, and one that is paused itself (pauses.ts), has only requested deliveries due. Where the account is inactive
 * or the origin is paused, nothing is due; delivery resumes where it stopped.
 */
export async function claimWebhooks(db: Database, room: Room, settings: DeliverySettings): Promise<Held[]> {
  const { leaseSeconds, window } = settings;
  const due = (troubled: boolean, limit: number) => sql`array(
    select w.id from webhooks w
    where w.troubled = ${troubled} and (w.lease_until is null or w.lease_until <= now())
    and exists (select from accounts a where a.id = w.account_id and a.status = 'active')
    and not ${originIsPaused(settings)} and (
      exists (select from webhook_deliveries d
        where d.webhook_id = w.id and d.status = 'pending' and d.next_attempt_at <= now() and (w.active or d.asked)
          and (coalesce(w.paused_until <= now(), true) or d.asked and d.tries = 0))
      or w.active and coalesce(w.paused_until <= now(), true) and w.pending < ${window} and exists (select from events e
        where e.account_id = w.account_id and e.tx < (select logical_horizon())
          and (e.tx, e.position) > (w.cursor_tx, w.cursor_position)))
    order by w.lease_until nulls first limit ${limit}
    for update skip locked)`;
  const { rows } = await sql<Held>`
    update webhooks set lease_owner = gen_random_uuid(),
      lease_until = now() + make_interval(secs => ${leaseSeconds}::float8)
    where id = any(${due(false, room.untroubled)} || ${due(true, room.troubled)})
    returning id, lease_owner, troubled`.execute(db);
  return rows;
}

/** Extends the leases from now. Returns those that are still held. */
export async function renewLeases(
  db: Database,
  held: readonly Held[],
  { leaseSeconds }: DeliverySettings,
): Promise<Set<string>> {
  const { rows } = await sql<{ lease_owner: string }>`
    update webhooks set lease_until = now() + make_interval(secs => ${leaseSeconds}::float8)
    from unnest(${held.map((one) => one.id)}::uuid[], ${held.map((one) => one.lease_owner)}::uuid[]) as mine (id, owner)
    where webhooks.id = mine.id and webhooks.lease_owner = mine.owner
    returning webhooks.lease_owner`.execute(db);
  return new Set(rows.map((row) => row.lease_owner));
}

/** Releases the lease, if it is still held. */
export async function releaseWebhook(db: Database, { id, lease_owner }: Held): Promise<void> {
  await sql`
    update webhooks set lease_owner = null, lease_until = now()
    where id = ${id} and lease_owner = ${lease_owner}`.execute(db);
}

/** Undefined if the lease was lost or the webhook was deleted. */
export async function readHeld(
  db: Database,
  { id, lease_owner }: Held,
  settings: DeliverySettings,
): Promise<HeldWebhook | undefined> {
  const { rows } = await sql<HeldWebhook>`
    select id, account_id, url, event_types, active, troubled, pending, secret_sealed,
      case when previous_secret_until > now() then previous_secret_sealed end as previous_secret_sealed,
      cursor_tx::text || '.' || cursor_position as cursor,
      exists (select from accounts a where a.id = account_id and a.status = 'active') as account_active,
      origin, coalesce(paused_until > now(), false) as paused, failures >= ${settings.failuresBeforePause} as probing,
      ${originIsPaused(settings)} as origin_paused, ${originIsFailing(settings)} as origin_failing
    from webhooks w where id = ${id} and lease_owner = ${lease_owner}`.execute(db);
  return rows[0];
}
