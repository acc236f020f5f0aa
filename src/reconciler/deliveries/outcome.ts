// Records the result of an attempt: delivered, retried later, or failed; and what it means for the webhook. One
// transaction that locks the webhook's row and checks the lease, so a replica that lost it changes nothing.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { type Attempt, attemptsKept } from "../../rental/webhooks/delivery.ts";
import { disableWebhook } from "../../rental/webhooks/disable.ts";
import type { DisabledReason } from "../../rental/webhooks/webhook.ts";
import type { DueDelivery } from "./due.ts";
import type { Held } from "./lease-store.ts";
import { afterFailure, noteOrigin } from "./pauses.ts";
import { type DeliverySettings, retryAt } from "./settings.ts";

/** `lost`: the lease was lost and nothing was written. */
export type Outcome = "delivered" | "retry" | "failed" | "lost";

/** An attempt that was made. */
export interface Tried {
  readonly attempt: Attempt;
  /** Whether a connection was made. */
  readonly reached: boolean;
  readonly isProbe: boolean;
}

export async function settle(
  db: Database,
  held: Held,
  delivery: DueDelivery,
  { attempt, ...seen }: Tried,
  settings: DeliverySettings,
): Promise<Outcome> {
  return inTransaction(db, async (tx) => {
    const webhook = await lockHeld(tx, held, settings);
    if (webhook === undefined) return "lost";
    if (!seen.reached || webhook.origin_noted) await noteOrigin(tx, webhook.origin, seen, settings);
    const outcome = outcomeOf(delivery, attempt, settings);
    const written = await writeAttempt(tx, delivery, attempt, outcome, settings);
    // It might be finished already: requested again and delivered, or deleted with its webhook.
    if (!written) return outcome;
    const over = outcome !== "retry";
    if (over && !delivery.asked) await letNextFollow(tx, held, delivery);
    const good = attempt.error === null;
    const slow = attempt.milliseconds > settings.slowSeconds * 1000;
    await sql`
      update webhooks set pending = pending - ${over ? 1 : 0}, troubled = ${!good || slow},
        failing_since = ${failingSince(good, delivery)}, ${pauseAfter(good, delivery, settings)},
        last_error = ${attempt.error}, last_status_code = ${good ? null : attempt.status_code}
      where id = ${held.id}`.execute(tx);
    const reason = reasonToDisable(attempt, delivery, webhook);
    if (webhook.active && reason !== undefined) await disableWebhook(tx, held.id, reason);
    return outcome;
  });
}

interface LockedWebhook {
  readonly active: boolean;
  readonly origin: string;
  /** The origin could not be reached recently. */
  readonly origin_noted: boolean;
  /** Nothing was delivered for so long that the webhook is disabled. */
  readonly in_vain: boolean;
}

async function lockHeld(tx: Transaction, held: Held, settings: DeliverySettings): Promise<LockedWebhook | undefined> {
  const { rows } = await sql<LockedWebhook>`
    select active, origin, exists (select from webhook_origins o where o.origin = webhooks.origin) as origin_noted,
      coalesce(failing_since <= now() - make_interval(secs => ${settings.disableAfterSeconds}::float8), false) as in_vain
    from webhooks where id = ${held.id} and lease_owner = ${held.lease_owner} for update`.execute(tx);
  return rows[0];
}

function outcomeOf({ tries }: DueDelivery, { error }: Attempt, { retrySeconds }: DeliverySettings): Outcome {
  if (error === null) return "delivered";
  return error === "gone" || tries >= retrySeconds.length ? "failed" : "retry";
}

/** False if the delivery is no longer pending. */
async function writeAttempt(
  tx: Transaction,
  delivery: DueDelivery,
  attempt: Attempt,
  outcome: Outcome,
  settings: DeliverySettings,
): Promise<boolean> {
  const over = outcome !== "retry";
  const { numAffectedRows } = await sql`
    update webhook_deliveries set
      status = ${over ? outcome : "pending"},
      attempts = attempts + 1,
      tries = tries + 1,
      log = (case when jsonb_array_length(log) >= ${attemptsKept} then log - 0 else log end)
        || ${JSON.stringify([attempt])}::jsonb,
      next_attempt_at = ${over ? null : retryAt(settings.retrySeconds[delivery.tries] ?? 0)},
      finished_at = case when ${over} then now() end
    where id = ${delivery.id} and status = 'pending'`.execute(tx);
  return numAffectedRows === 1n;
}

/** Makes the next delivery of the same subject due. */
async function letNextFollow(tx: Transaction, held: Held, delivery: DueDelivery): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = now()
    where id = (
      select id from webhook_deliveries
      where webhook_id = ${held.id} and subject_id = ${delivery.subject_id} and status = 'pending' and not asked
      order by position limit 1)
      and next_attempt_at is null`.execute(tx);
}

/** A failed test does not count towards the time that events have been failing. */
function failingSince(good: boolean, { asked }: DueDelivery): RawBuilder<Date | null> {
  if (good) return sql`null`;
  return asked ? sql`failing_since` : sql`coalesce(failing_since, now())`;
}

/** Any success ends a pause. A failed test begins none: its requester reads the result. */
function pauseAfter(good: boolean, { asked }: DueDelivery, settings: DeliverySettings): RawBuilder<unknown> {
  if (good) return sql`failures = 0, paused_until = null`;
  return asked ? sql`failures = failures` : afterFailure(settings);
}

function reasonToDisable(attempt: Attempt, delivery: DueDelivery, webhook: LockedWebhook): DisabledReason | undefined {
  if (attempt.error === "gone") return "gone";
  return attempt.error !== null && !delivery.asked && webhook.in_vain ? "failing" : undefined;
}
