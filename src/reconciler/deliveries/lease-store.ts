// The SQL of turns: which webhooks have something to do, and who does it. A lease is on the webhook, not on a delivery:
// its holder alone moves the cursor and attempts deliveries. It is a token (`lease_owner`, a new one for each claim) and a
// time, and every write of the holder asks for the token. When it is given up, `lease_until` tells when that was, so those
// come first whose turn was longest ago.

import { type Selectable, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { WebhooksTable } from "../../database/tables/events.ts";
import { originIsFailing, originIsPaused } from "./pauses.ts";
import type { DeliverySettings } from "./settings.ts";

/** A webhook whose turn it is, and the lease on it. */
export interface Held {
  readonly id: string;
  readonly lease_owner: string;
  readonly troubled: boolean;
}

/** The webhook as it is now; of its former secret only what still signs. */
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
  /** Whether its account is active; of one that is not nothing is delivered. */
  readonly account_active: boolean;
  readonly origin: string;
  /** Nothing is attempted but what somebody asks for. */
  readonly paused: boolean;
  /** It was paused, and has not succeeded since: one attempt at once. */
  readonly probing: boolean;
  /** Nothing at all is attempted. */
  readonly origin_paused: boolean;
  /** Each attempt needs `takeProbe`. */
  readonly origin_failing: boolean;
};

/**
 * Claims up to `limit` webhooks that have something due, of those in trouble or of the others: a delivery whose time has
 * come, or an event behind the cursor. What is switched off has nothing due but what somebody asked for; and where the
 * account is switched off nothing is due, until it is switched on again and all goes on where it stood. Nor is it where the
 * webhook or its origin is paused (pauses.ts), but for what somebody just asked for of the webhook.
 */
export async function claimWebhooks(
  db: Database,
  troubled: boolean,
  limit: number,
  settings: DeliverySettings,
): Promise<Held[]> {
  const { leaseSeconds, window } = settings;
  const { rows } = await sql<Held>`
    update webhooks set lease_owner = gen_random_uuid(),
      lease_until = now() + make_interval(secs => ${leaseSeconds}::float8)
    where id = any(array(
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
      for update skip locked))
    returning id, lease_owner, troubled`.execute(db);
  return rows;
}

/** Makes the leases run from now on again. Gives those that are still held. */
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

/** Gives the lease up, if it is still held. */
export async function releaseWebhook(db: Database, { id, lease_owner }: Held): Promise<void> {
  await sql`
    update webhooks set lease_owner = null, lease_until = now()
    where id = ${id} and lease_owner = ${lease_owner}`.execute(db);
}

/** Undefined when the lease was lost or the webhook is gone. */
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
