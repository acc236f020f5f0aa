// Credits: what an account does not have to pay of what was billed, given once, in the open month, and never changed.
// Given by downtime.ts, gpus/fault-reports.ts, spans.ts and reservations/undelivered.ts; read beside the cost of the spans
// by usage, statements and spend limits.
//
// Invariant: the credit for some seconds is the cost of so many first seconds of the span, rounded down to a micro-cent; for
// a whole span, the rest of its cost. No time of an instance is credited twice.
// The span has the time of its latest credit, so that it is found by the time of the credit too.

import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { asUuid } from "../uuid.ts";
import { costOf, monthStart, secondsUntil, unitCostOf } from "./cost-sql.ts";
import type { UsageOf } from "./usage.ts";

/** Why one is given. Only the seconds of one for downtime are downtime. */
export type CreditReason = "downtime" | "gpu-fault" | "preemption" | "undelivered";

/**
 * Gives credits now. `of`: rows of instance_id, began_at, ended_at; only what a span has of that time counts, without
 * its downtime and what was credited before, in whole seconds. The caller holds the instances' row locks.
 */
export async function giveCredits(tx: Transaction, reason: CreditReason, of: RawBuilder<unknown>): Promise<void> {
  await sql`
    with whole as (
      select s.id, s.instance_id, s.account_id, s.token_id, t.began_at, t.ended_at,
        floor(extract(epoch from t.ended_at - t.began_at) - downtime_seconds(s.downtime + (
          select coalesce(range_agg(tstzrange(c.began_at, c.ended_at)), '{}') from billing_credits c
          where c.instance_id = s.instance_id), t.began_at, t.ended_at))::bigint as seconds, s.price_cents_per_hour, s.discount_basis_points
      from (
        select given.instance_id, greatest(given.began_at, own.started_at) as began_at,
          least(given.ended_at, own.ended_at) as ended_at
        from ${of} given join billing_spans own on own.instance_id = given.instance_id
      ) t join billing_spans s on s.instance_id = t.instance_id
    ), given as (
      insert into billing_credits (instance_id, account_id, token_id, given_at, began_at, ended_at, seconds, cost_micro_cents,
        reason)
      select s.instance_id, s.account_id, s.token_id, billing_now(), s.began_at, s.ended_at, s.seconds, ${unitCostOf(sql<number>`s.seconds`)},
        ${reason}
      from whole s where s.seconds > 0
      returning instance_id
    )
    update billing_spans set credited_at = billing_now()
    where instance_id in (select instance_id from given)`.execute(tx);
}

/** Gives back all that the closed spans of these instances cost, less what was given back already. The caller holds the instances' row locks. */
export async function creditWhole(
  tx: Transaction,
  reason: CreditReason,
  instanceIds: readonly string[],
): Promise<void> {
  const seconds = secondsUntil(sql<Date>`s.ended_at`);
  await sql`
    with given as (
      insert into billing_credits (instance_id, account_id, token_id, given_at, began_at, ended_at, seconds, cost_micro_cents,
        reason)
      select * from (
        select s.instance_id, s.account_id, s.token_id, billing_now(), s.started_at, s.ended_at, ${seconds} as seconds,
          ${costOf(seconds)} - (
            select coalesce(sum(c.cost_micro_cents), 0) from billing_credits c where c.instance_id = s.instance_id) as cost,
          ${reason}
        from billing_spans s where s.instance_id = any(${[...instanceIds]}::uuid[])) whole
      where seconds > 0 and cost > 0
      returning instance_id
    )
    update billing_spans set credited_at = billing_now()
    where instance_id in (select instance_id from given)`.execute(tx);
}

/**
 * Gives a credit now, to the reservation of this id: for so many of its slots, which could not be used in this time. The
 * caller holds its row lock.
 */
export async function giveReservationCredit(
  tx: Transaction,
  id: string,
  { slots, since, end }: { readonly slots: number; readonly since: Date; readonly end: Date },
): Promise<void> {
  await sql`
    with whole as (
      select t.began_at, t.ended_at, floor(extract(epoch from t.ended_at - t.began_at))::bigint as seconds
      from billing_spans s cross join lateral (
        select greatest(s.started_at, ${since}::timestamptz) as began_at, least(s.ended_at, ${end}::timestamptz) as ended_at) t
      where s.instance_id = ${id}
    ), given as (
      insert into billing_credits (instance_id, account_id, token_id, given_at, began_at, ended_at, seconds,
        cost_micro_cents, reason)
      select s.instance_id, s.account_id, s.token_id, billing_now(), whole.began_at, whole.ended_at,
        whole.seconds * ${slots}::integer, ${slots}::integer * ${unitCostOf(sql<number>`whole.seconds`)},
        ${"undelivered" satisfies CreditReason}
      from whole join billing_spans s on s.instance_id = ${id} where whole.seconds > 0
      returning instance_id
    )
    update billing_spans set credited_at = billing_now()
    where instance_id in (select instance_id from given)`.execute(tx);
}

/** What the credits of `billing_spans s` sum up to that were given in the time: micro-cents, or seconds of downtime. */
export function creditOf(column: "downtime_seconds" | "cost_micro_cents", { from, to }: Pick<UsageOf, "from" | "to">) {
  const value = column === "cost_micro_cents" ? sql`c.cost_micro_cents` : creditedDowntime;
  return sql<string>`case when s.credited_at is null then 0 else (
    select coalesce(sum(${value}), 0) from billing_credits c
    where c.instance_id = s.instance_id and ${givenIn({ from, to })}) end`;
}

/** Of `billing_credits c`, in seconds. */
export const creditedDowntime: RawBuilder<number> = sql<number>`case when c.reason = ${sql.lit("downtime" satisfies CreditReason)}
  then c.seconds else 0 end`;

/** Which of `billing_credits c` belong to the usage. */
export function creditsOf({ accountId, instanceId, tokenId, from, to }: UsageOf): RawBuilder<boolean> {
  const conditions = [
    givenIn({ from, to }),
    ...(accountId === undefined ? [] : [sql`c.account_id = ${asUuid(accountId)}`]),
    ...(instanceId === undefined ? [] : [sql`c.instance_id = ${asUuid(instanceId)}`]),
    ...(tokenId === undefined ? [] : [sql`c.token_id = ${asUuid(tokenId)}`]),
  ];
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** As of now: a clock that was set back sees no later ones. */
function givenIn({ from, to }: Pick<UsageOf, "from" | "to">): RawBuilder<boolean> {
  return sql<boolean>`c.given_at <= now() and (${from ?? null}::timestamptz is null or c.given_at >= ${from ?? null})
    and (${to ?? null}::timestamptz is null or c.given_at < ${to ?? null})`;
}

/** The sum of this month's credits, in micro-cents. `who`: a condition on `billing_credits c`. */
export function creditedThisMonth(who: RawBuilder<boolean>): RawBuilder<string> {
  return sql<string>`(select coalesce(sum(c.cost_micro_cents), 0) from billing_credits c
    where ${who} and c.given_at >= ${monthStart})`;
}
