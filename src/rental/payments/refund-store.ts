// Refunds of payments that operators order at the payment provider. Used by the control interface and payments/; their money
// is take-back.ts's.
//
// Invariants: a refund is committed before the provider is asked for it, so it is known what to search for. The lock of its
// payment orders refunds, so that together they are no more than what is left of the payment.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import {
  asRefundStatus,
  creditedStatus,
  failedRefundStatus,
  openRefundStatus,
  type RefundStatus,
} from "../../rules/payments.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { hintPayments } from "./checks.ts";
import { type Payment, readPayment } from "./payment-store.ts";

export interface Refund {
  /** Null: it was not ordered here. */
  readonly id: string | null;
  readonly paymentId: string;
  readonly accountId: string;
  readonly amountCents: number;
  readonly status: RefundStatus;
  /** Why it failed, as a word of the provider or of rules/payments.ts. */
  readonly failure: string | null;
  /** Null: it was not ordered here. */
  readonly reason: string | null;
  readonly providerRefundId: string | null;
  readonly createdAt: Date;
}

/** What is ordered at the provider. The same fields at each attempt with the same number. */
export interface RefundOrder {
  readonly id: string;
  readonly providerPaymentId: string;
  readonly amountCents: number;
  readonly attempt: number;
}

/** What became of an order that the provider did not take: it never will, or it responded with an error. */
export type RefundOutcome =
  | { readonly id: string; readonly failure: string }
  | { readonly id: string; readonly usedAttempt: number };

export interface NewRefund {
  readonly paymentId: string;
  /** Undefined: all that is left. */
  readonly amountCents: number | undefined;
  readonly reason: string;
}

/** The provider is asked for it after the commit. Throws RentalError unknown-object, conflict. */
export async function orderRefund(
  tx: Transaction,
  { tokenId }: Pick<Principal, "tokenId">,
  { paymentId, amountCents, reason }: NewRefund,
): Promise<Refund> {
  await sql`select from payments where id = ${asUuid(paymentId)} for no key update`.execute(tx);
  const payment = await readPayment(tx, paymentId);
  if (payment.status !== creditedStatus) {
    const message = `Only a payment that is ${creditedStatus} can be refunded.`;
    throw new RentalError("conflict", { message, suggestion: "Wait until it is, or leave it." });
  }
  const left = await leftOf(tx, payment);
  const cents = amountCents ?? left;
  if (left <= 0 || cents > left) {
    throw new RentalError("conflict", {
      message: left <= 0 ? "Nothing is left of the payment." : `Only ${left} cents are left of the payment.`,
      suggestion: "See what was refunded or disputed of it.",
    });
  }
  const id = uuidv7();
  await sql`
    insert into payment_refunds (id, payment_id, amount_cents, reason, status, token_id)
    values (${id}, ${payment.id}, ${cents}, ${reason}, ${openRefundStatus}, ${tokenId})`.execute(tx);
  await hintPayments(tx, [{ id: payment.id }]);
  const made = (await listRefunds(tx, payment)).find((one) => one.id === id);
  if (made === undefined) throw new Error("BUG: the refund was just written");
  return made;
}

/** In cents: neither gone at the provider, nor ordered. */
async function leftOf(tx: Transaction, { id, amountCents }: Payment): Promise<number> {
  const { rows } = await sql<{ gone: number }>`
    select (
      (select coalesce(sum(amount_cents), 0) from payments_taken_back where payment_id = ${id} and entries % 2 = 1)
      + (select coalesce(sum(amount_cents), 0) from payment_refunds where payment_id = ${id} and status = ${openRefundStatus})
    )::float8 as gone`.execute(tx);
  return amountCents - (rows[0]?.gone ?? 0);
}

/** All of the payment, newest first, also those that were not ordered here. */
export async function listRefunds(db: Database, { id, accountId }: Payment): Promise<Refund[]> {
  const { rows } = await sql<{
    id: string | null;
    amount_cents: number;
    status: string;
    failure: string | null;
    reason: string | null;
    provider_refund_id: string | null;
    created_at: Date;
  }>`
    select r.id, coalesce(r.amount_cents, t.amount_cents) as amount_cents, r.failure, r.reason,
      coalesce(r.status, case when t.entries % 2 = 1 then ${"succeeded" satisfies RefundStatus} else ${failedRefundStatus} end) as status,
      coalesce(r.provider_refund_id, t.id) as provider_refund_id, coalesce(r.created_at, t.created_at) as created_at
    from (select * from payment_refunds where payment_id = ${id}) r
      full join (select * from payments_taken_back where payment_id = ${id} and kind = 'refund') t on t.id = r.provider_refund_id
    order by created_at desc, 1 desc`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    paymentId: id,
    accountId,
    amountCents: row.amount_cents,
    status: asRefundStatus(row.status),
    failure: row.failure,
    reason: row.reason,
    providerRefundId: row.provider_refund_id,
    createdAt: row.created_at,
  }));
}

/** Oldest first. `isLate`: it was ordered longer ago than so many seconds. */
export async function refundsToOrder(
  db: Database,
  paymentId: string,
  lateSeconds: number,
): Promise<readonly (Omit<RefundOrder, "providerPaymentId"> & { readonly isLate: boolean })[]> {
  const { rows } = await sql<{ id: string; cents: number; attempt: number; late: boolean }>`
    select id, amount_cents as cents, attempt, created_at < now() - make_interval(secs => ${lateSeconds}) as late
    from payment_refunds where payment_id = ${paymentId} and status = ${openRefundStatus} order by id`.execute(db);
  return rows.map(({ id, cents, attempt, late }) => ({ id, amountCents: cents, attempt, isLate: late }));
}

/** What the provider has of one, under the lock of the payment. Undefined: it is none of this payment. */
export async function followRefund(
  tx: Transaction,
  payment: Payment,
  providerRefundId: string,
  { id, status, failure }: { readonly id: string; readonly status: RefundStatus; readonly failure: string | null },
): Promise<{ readonly tokenId: string; readonly reason: string } | undefined> {
  const ours = sql`id = ${id} and payment_id = ${payment.id} and coalesce(provider_refund_id, ${providerRefundId}) = ${providerRefundId}`;
  const { rows } = await sql<{ token_id: string; reason: string; status: string }>`
    select token_id, reason, status from payment_refunds where ${ours}`.execute(tx);
  const [before] = rows;
  if (before === undefined) return undefined;
  await sql`
    update payment_refunds set provider_refund_id = ${providerRefundId}, status = ${status}, failure = ${failure}
    where ${ours}`.execute(tx);
  if (status === failedRefundStatus && before.status !== status) await announceFailure(tx, payment, id);
  return { tokenId: before.token_id, reason: before.reason };
}

/** Of orders that the provider did not take, under the lock of the payment. */
export async function applyOutcomes(
  tx: Transaction,
  payment: Payment,
  outcomes: readonly RefundOutcome[],
): Promise<void> {
  for (const one of outcomes) {
    const open = sql`id = ${one.id} and status = ${openRefundStatus}`;
    if ("usedAttempt" in one) {
      await sql`update payment_refunds set attempt = ${one.usedAttempt + 1} where ${open}`.execute(tx);
      continue;
    }
    const { rows } = await sql`
      update payment_refunds set status = ${failedRefundStatus}, failure = ${one.failure} where ${open} returning 1`.execute(
      tx,
    );
    if (rows.length > 0) await announceFailure(tx, payment, one.id);
  }
}

async function announceFailure(tx: Transaction, { id, accountId }: Payment, refundId: string): Promise<void> {
  const { rows } = await sql<{ amount_cents: number; failure: string | null; reason: string }>`
    select amount_cents, failure, reason from payment_refunds where id = ${refundId}`.execute(tx);
  const data = { account_id: accountId, payment_id: id, refund_id: refundId, ...rows[0] };
  await recordEvents(tx, [{ accountId, type: "payment.refund_failed", subjectId: id, data }]);
}
