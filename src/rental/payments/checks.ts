// When the provider is asked about which payment, and by which replica. A hint of the provider (a webhook, or its list of
// changes) only makes a payment due; however many come, the next check is for all of them. Used by payments/driver.ts.
//
// Invariant: a hint that comes while a payment is being checked makes it due again: the check may have begun before the
// change.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { asPaymentStatus, openRefundStatus, paymentStatusTable } from "../../rules/payments.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { asUuid } from "../uuid.ts";
import { claimDue, holdsClaimOf, nextCheckOfOpen, releaseClaim, retryClaim } from "./claims.ts";
import { type ClaimedPayment, claimedFromRow } from "./payment-store.ts";

/** Names a payment, or a payment method, that the provider says something of, by what the provider told of it. */
export interface PaymentHint {
  /** Our id. */
  readonly id?: string | undefined;
  readonly checkoutId?: string | undefined;
  readonly providerPaymentId?: string | undefined;
  /** Of a saved payment method. */
  readonly providerMethodId?: string | undefined;
  /** When it changed, by the provider's clock; undefined: now. */
  readonly at?: Date | undefined;
}

/** Later checks than this after a change, by two clocks, have seen it. */
export const clockSkewSeconds = 120;

/** Claims the one that has been due for longest; undefined: none is due. */
export async function claimPayment(db: Database, leaseSeconds: number): Promise<ClaimedPayment | undefined> {
  const row = await claimDue<Parameters<typeof claimedFromRow>[0]>(db, "payments", leaseSeconds);
  return row && claimedFromRow(row);
}

/** Locks a payment that this process has still to itself: what it was told is newer than what others applied. */
export const holdsClaim = (tx: Transaction, claimed: ClaimedPayment): Promise<boolean> =>
  holdsClaimOf(tx, "payments", claimed);

/** The provider responded, and what it said is applied: releases the claim. */
export async function settlePayment(tx: Transaction, claimed: ClaimedPayment): Promise<void> {
  const row = await tx.selectFrom("payments").select("status").where("id", "=", claimed.id).executeTakeFirstOrThrow();
  const { isOpen } = paymentStatusTable[asPaymentStatus(row.status)];
  const next = isOpen ? nextCheckOfOpen : sql`case when ${hasOpenRefunds} then now() end`;
  await releaseClaim(tx, "payments", claimed, next, sql`tries = 0, checked_at = ${claimed.claimedAt}`);
}

/** It did not, or nothing can be applied: releases the claim. */
export const retryPayment = (db: Database, claimed: ClaimedPayment, delays: readonly number[]): Promise<void> =>
  retryClaim(db, "payments", claimed, delays);

const hasOpenRefunds = sql`exists (
  select from payment_refunds r where r.payment_id = payments.id and r.status = ${openRefundStatus})`;

/** Makes the payments due that these name. Returns how many. */
export async function hintPayments(tx: Transaction, hints: readonly PaymentHint[]): Promise<number> {
  if (hints.length === 0) return 0;
  const texts = (of: (hint: PaymentHint) => string | undefined) => hints.map((hint) => of(hint) ?? null);
  const { numAffectedRows = 0n } = await sql`
    with hinted as (
      select p.id from unnest(
        ${texts(({ id }) => id && asUuid(id))}::uuid[], ${texts(({ checkoutId }) => checkoutId)}::text[],
        ${texts(({ providerPaymentId }) => providerPaymentId)}::text[], ${texts(({ at }) => at?.toISOString())}::timestamptz[]
      ) as hint (id, checkout_id, provider_payment_id, at)
      cross join lateral (
        select id, checked_at from payments where id = hint.id
        union select id, checked_at from payments where checkout_id = hint.checkout_id
        union select id, checked_at from payments where provider_payment_id = hint.provider_payment_id) p
      where hint.at is null or p.checked_at is null
        or p.checked_at < hint.at + make_interval(secs => ${clockSkewSeconds})
    ), due as (select id from payments where id in (select id from hinted) order by id for no key update)
    update payments set hints = hints + 1, next_check_at = least(next_check_at, now()) from due where payments.id = due.id`.execute(
    tx,
  );
  if (numAffectedRows > 0n) await wakeReconciler(tx, "payments");
  return Number(numAffectedRows);
}

/** Makes all due that could still change at the provider: its list of changes does not reach back far enough, or was never read. */
export async function hintAllPayments(tx: Transaction): Promise<void> {
  await sql`
    update payments set hints = hints + 1, next_check_at = least(next_check_at, now())
    where created_at > now() - make_interval(days => ${stillChangingDays})`.execute(tx);
  await wakeReconciler(tx, "payments");
}

/** Disputes and refunds of older payments are not possible any more. */
const stillChangingDays = 540;

/** How far the provider's list of changes was read. */
export interface ChangesCursor {
  /** By the provider's clock. */
  readonly until: Date;
  /** How long ago the list was read, in seconds. */
  readonly secondsAgo: number;
}

/** Undefined: it never was. */
export async function readCursor(db: Database, provider: string): Promise<ChangesCursor | undefined> {
  const { rows } = await sql<{ until: Date; seconds: number }>`
    select until, extract(epoch from now() - read_at)::float8 as seconds
    from payment_cursors where provider = ${provider}`.execute(db);
  return rows[0] && { until: rows[0].until, secondsAgo: rows[0].seconds };
}

/** `undefined`: nothing changed; the first time, from now on by the database's clock. */
export async function writeCursor(tx: Transaction, provider: string, until: Date | undefined): Promise<void> {
  await sql`
    insert into payment_cursors as c (provider, until, read_at)
    values (${provider}, coalesce(${until}::timestamptz, now()), now())
    on conflict (provider) do update set read_at = now(), until = greatest(c.until, ${until}::timestamptz)`.execute(tx);
}
