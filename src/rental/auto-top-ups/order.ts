// Orders automatic payments of accounts whose balance is below their threshold, and follows what became of them. Used by
// payments/driver.ts and payments/apply.ts; any number of replicas can run it on the same database.
//
// Invariants: one of an account is in progress at a time, which the database enforces, and all of a month are at most its cap:
// who orders holds the account's row, and reads the balance after it has seen that none is in progress, so what arrived is in
// it. Nothing is charged here: the payment is committed first.

import { type RawBuilder, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { autoTopUpRules, isDecline, noMethodReason, takenBackReasons } from "../../rules/auto-top-ups.ts";
import { microCentsPerCent } from "../../rules/cost.ts";
import type { MethodStatus } from "../../rules/payment-methods.ts";
import { creditedStatus, type PaymentProviderName, type PaymentStatus } from "../../rules/payments.ts";
import { stillCommitted } from "../billing/committed.ts";
import { openTime } from "../billing/statements.ts";
import { recordEvents } from "../events/record.ts";
import { hasBound } from "../funds/funds.ts";
import { balanceOf } from "../ledger/balance.ts";
import { defaultMethod } from "../payment-methods/method-store.ts";
import type { ClaimedPayment, Payment } from "../payments/payment-store.ts";
import { chargedThisMonth, isInProgress } from "./charged.ts";

/** Whether the account can be charged now: of auto_top_ups `t` and accounts `a`. */
const isReady = sql<boolean>`t.turned_off_at is null and a.status = 'active' and a.held_since is null and not exists (
  select from payments p where p.account_id = t.account_id and p.payment_method_id is not null and (${isInProgress} or (
    p.status <> ${creditedStatus} and p.created_at > now() - make_interval(secs => ${autoTopUpRules.pauseSeconds}))))`;

const isOn = sql<boolean>`t.turned_off_at is null`;

/** Accounts of which this is true and whose balance, less what reservations will cost where it has a bound, is below the threshold. */
async function accountsBelow(db: Database, accountId: string | undefined, isTrue = isReady): Promise<string[]> {
  const open = await openTime(db);
  const reserved = stillCommitted(sql<boolean>`r.account_id = a.id`);
  const which: RawBuilder<boolean> = accountId === undefined ? sql`true` : sql`t.account_id = ${accountId}`;
  const { rows } = await sql<{ id: string }>`
    select a.id from auto_top_ups t join accounts a on a.id = t.account_id
    cross join lateral ${balanceOf(open, sql`a.id`)} sums
    where ${which} and ${isTrue}
      and sums.posted - sums.pending - case when ${hasBound(sql`a`)} then ${reserved} else 0 end
        < t.threshold_cents * ${String(microCentsPerCent)}::numeric
    order by a.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** The accounts that might need one now. */
export const accountsToTopUp = (db: Database): Promise<string[]> => accountsBelow(db, undefined);

/** Orders one, if the account needs it now and its cap allows it. Returns its id. */
export async function orderAutomatic(
  tx: Transaction,
  accountId: string,
  { provider, currency }: { readonly provider: PaymentProviderName; readonly currency: string },
): Promise<string | undefined> {
  await sql`select from auto_top_ups where account_id = ${accountId} for no key update`.execute(tx);
  const { rows } = await sql<{ amount: number; cap: number; charged: number; method: string | null }>`
    select t.amount_cents as amount, t.monthly_cap_cents as cap, t.payment_method_id as method,
      ${chargedThisMonth(sql`t.account_id`)} as charged
    from auto_top_ups t join accounts a on a.id = t.account_id
    where t.account_id = ${accountId} and ${isReady}`.execute(tx);
  const [terms] = rows;
  if (terms === undefined || terms.charged + terms.amount > terms.cap) return undefined;
  if ((await accountsBelow(tx, accountId)).length === 0) return undefined;
  const method = await savedMethod(tx, terms.method ?? (await defaultMethod(tx, accountId)));
  if (method === undefined) {
    await turnOff(tx, accountId, noMethodReason);
    return undefined;
  }
  const id = uuidv7();
  await sql`
    insert into payments (id, account_id, provider, amount_cents, currency, status, payment_method_id, next_check_at)
    values (${id}, ${accountId}, ${provider}, ${terms.amount}, ${currency}, ${"created" satisfies PaymentStatus}, ${method},
      now())`.execute(tx);
  return id;
}

async function savedMethod(tx: Transaction, id: string | undefined): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from payment_methods where id = ${id ?? null} and status = ${"saved" satisfies MethodStatus}`.execute(tx);
  return rows[0]?.id;
}

/** What an automatic payment charges at the provider. */
export interface Charged {
  readonly customerId: string;
  readonly providerMethodId: string;
}

/**
 * Undefined: it is not to be charged any more, because automatic top-ups or the method were removed, another method or a lower
 * cap was ordered, or the account is on hold.
 */
export async function chargedOf(db: Database, { id }: ClaimedPayment): Promise<Charged | undefined> {
  const { rows } = await sql<{ customer_id: string; provider_method_id: string }>`
    select c.customer_id, m.provider_method_id from payments p
    join auto_top_ups t on t.account_id = p.account_id and ${isOn} and ${chargedThisMonth(sql`t.account_id`)} <= t.monthly_cap_cents
      and coalesce(t.payment_method_id, p.payment_method_id) = p.payment_method_id
    join accounts a on a.id = p.account_id and a.status = 'active' and a.held_since is null
    join payment_methods m on m.id = p.payment_method_id and m.status = ${"saved" satisfies MethodStatus}
    join payment_customers c on c.account_id = p.account_id and c.customer_id is not null
    where p.id = ${id}`.execute(db);
  return rows[0] && { customerId: rows[0].customer_id, providerMethodId: rows[0].provider_method_id };
}

/** Notes what the provider prepared, before it is charged. False: another process has the payment now. */
export async function notePrepared(db: Database, { id, leaseOwner }: ClaimedPayment, providerPaymentId: string) {
  const { rows } = await sql`
    update payments set provider_payment_id = ${providerPaymentId}
    where id = ${id} and lease_owner = ${leaseOwner} and provider_payment_id is null returning 1`.execute(db);
  return rows.length > 0;
}

/** A payment succeeded or failed, in the transaction that says so. */
export async function noteOutcome(tx: Transaction, payment: Payment): Promise<void> {
  const { accountId, paymentMethodId, status, failure } = payment;
  if (paymentMethodId === null) return;
  if (status === creditedStatus) {
    await sql`update auto_top_ups set declines = 0 where account_id = ${accountId}`.execute(tx);
  } else if (isDecline(failure)) {
    const { rows } = await sql<{ declines: number }>`
      update auto_top_ups set declines = declines + 1 where account_id = ${accountId} and turned_off_at is null
      returning declines`.execute(tx);
    if ((rows[0]?.declines ?? 0) >= autoTopUpRules.declines) await turnOff(tx, accountId, failure ?? "declined");
  }
}

/**
 * Money of a payment went back, in the transaction that says so: a refund is not charged again at once, and who disputes a
 * payment is charged no more.
 */
export async function noteTakenBack(tx: Transaction, accountId: string, kind: keyof typeof takenBackReasons) {
  const { rows } = await sql`
    select from auto_top_ups t where t.account_id = ${accountId} and ${isOn} for no key update`.execute(tx);
  if (rows.length === 0) return;
  if (kind === "refund" && (await accountsBelow(tx, accountId, isOn)).length === 0) return;
  await turnOff(tx, accountId, takenBackReasons[kind]);
}

async function turnOff(tx: Transaction, accountId: string, reason: string): Promise<void> {
  const { rows } = await sql<{ at: Date }>`
    update auto_top_ups set turned_off_at = now(), turned_off_reason = ${reason} where account_id = ${accountId}
    returning turned_off_at as at`.execute(tx);
  const data = { account_id: accountId, reason, turned_off_at: rows[0]?.at.toISOString() };
  await recordEvents(tx, [{ accountId, type: "auto_top_up.turned_off", subjectId: accountId, data }]);
}
