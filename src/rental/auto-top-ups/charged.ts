// Which payments are automatic, and what they charged in this month: the only definition, for what is shown and what is
// checked. Used by store.ts and order.ts.
//
// Invariant: a payment that is ordered in one month and arrives in the next counts in both, so that the cap holds whichever
// time counts. One in progress counts as if it had arrived.

import { type RawBuilder, sql } from "kysely";
import { creditedStatus, openPaymentStatuses } from "../../rules/payments.ts";
import { monthStart } from "../billing/cost-sql.ts";

/** Of the payment `p`. */
export const isInProgress = sql<boolean>`p.status = any(${openPaymentStatuses}::text[])`;

/** In cents. `account`: its id. */
export function chargedThisMonth(account: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(
    select coalesce(sum(p.amount_cents), 0)::float8 from payments p
    where p.account_id = ${account} and p.payment_method_id is not null
      and (${isInProgress} or p.status = ${creditedStatus})
      and (p.created_at >= ${monthStart} or p.paid_at >= ${monthStart}))`;
}

/** What is being charged, in cents. `account`: its id. */
export function inProgress(account: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(
    select coalesce(sum(p.amount_cents), 0)::float8 from payments p
    where p.account_id = ${account} and p.payment_method_id is not null and ${isInProgress})`;
}
