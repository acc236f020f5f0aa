// What accounts whose balance has a bound can still spend: prepaid ones, and postpaid ones with a credit line
// (rules/payment-terms.ts). Used by launches and reservations, by run-out.ts, and by the control interface.
//
// Invariant: a reservation is paid for from the moment on that it is made: what it will still cost is never available for
// anything else.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { type MicroCents, microCentsPerCent, secondsPerHour } from "../../rules/cost.ts";
import { isLive, statesWhere } from "../../rules/lifecycle.ts";
import { stillCommitted } from "../billing/committed.ts";
import { unitCostOf } from "../billing/cost-sql.ts";
import { openTime } from "../billing/statements.ts";
import { balanceOf } from "../ledger/balance.ts";

export interface Funds {
  readonly accountId: string;
  readonly balance: MicroCents;
  /** Above the least balance that the account may have; below zero: it is beyond it. */
  readonly left: MicroCents;
  /** What active reservations will still cost, and what those will that have not begun. */
  readonly active: MicroCents;
  readonly scheduled: MicroCents;
  /** The cost of live instances that no reservation pays for: in an hour, and in the asked time. */
  readonly perHour: MicroCents;
  readonly ahead: MicroCents;
}

export interface FundsAsked {
  /** Undefined: of all accounts. */
  readonly accountIds?: readonly string[] | undefined;
  /** The time of `ahead`. */
  readonly aheadSeconds?: number | undefined;
  /** Instances and reservations that do not count: those to check, whose rows might be written already. */
  readonly without?: readonly string[] | undefined;
}

/** As of now, in order of id. Accounts whose balance has no bound are left out. */
export async function readFunds(
  db: Database,
  { accountIds, aheadSeconds = 0, without = [] }: FundsAsked = {},
): Promise<Funds[]> {
  const open = await openTime(db);
  const cost = (seconds: RawBuilder<number>) => sql`coalesce(sum(${unitCostOf(seconds)}), 0)`;
  const ids = accountIds === undefined ? null : [...accountIds];
  const ofAccount = sql<boolean>`r.account_id = a.id and r.id <> all(${[...without]}::uuid[])`;
  const { rows } = await sql<Record<"id" | "balance" | "least" | "active" | "scheduled" | "hour" | "ahead", string>>`
    select a.id, (sums.posted - sums.pending)::text as balance, ${leastBalance(sql`a`)}::text as least,
      ${stillCommitted(sql<boolean>`${ofAccount} and r.started_at is not null`)}::text as active,
      ${stillCommitted(sql<boolean>`${ofAccount} and r.started_at is null`)}::text as scheduled,
      live.hour::text as hour, live.ahead::text as ahead
    from accounts a cross join lateral ${balanceOf(open, sql`a.id`)} sums
    cross join lateral (
      select ${cost(sql.lit(Number(secondsPerHour)))} as hour, ${cost(sql`${Math.ceil(aheadSeconds)}::bigint`)} as ahead
      from instances s where s.account_id = a.id and s.terminated_at is null and s.reservation_id is null
        and s.state = any(${statesWhere(isLive)}::text[]) and s.id <> all(${[...without]}::uuid[])) live
    where ${hasBound(sql`a`)} and (${ids}::uuid[] is null or a.id = any(${ids}::uuid[]))
    order by a.id`.execute(db);
  return rows.map((row) => ({
    accountId: row.id,
    balance: BigInt(row.balance),
    left: BigInt(row.balance) - BigInt(row.least) * microCentsPerCent,
    active: BigInt(row.active),
    scheduled: BigInt(row.scheduled),
    perHour: BigInt(row.hour),
    ahead: BigInt(row.ahead),
  }));
}

/** Whether the balance of an account's row has a bound, in the words of the index. */
export const hasBound = (row: RawBuilder<unknown>) =>
  sql<boolean>`(${row}.payment_terms = 'prepaid' or ${row}.credit_line_cents is not null)`;

/** As leastBalanceCents of rules/payment-terms.ts. */
export const leastBalance = (row: RawBuilder<unknown>) =>
  sql<number | null>`case when ${row}.payment_terms = 'prepaid' then 0 else -${row}.credit_line_cents end`;

/** For a launch or a reservation, besides everything that there is. */
export function leftForMore({ left, active, scheduled, ahead }: Funds): MicroCents {
  return left - active - scheduled - ahead;
}

/** For what runs already: reservations that have not begun can still wait for money. */
export function leftToRun({ left, active }: Funds): MicroCents {
  return left - active;
}

/** Whether something runs, and its money is used up. */
export function isExhausted(funds: Funds): boolean {
  return funds.perHour > 0n && leftToRun(funds) <= 0n;
}

/** How long what runs can go on, in whole seconds, 0 if nothing is left; undefined: nothing runs. */
export function runwaySeconds(funds: Funds): number | undefined {
  if (funds.perHour === 0n) return undefined;
  const left = leftToRun(funds);
  return left <= 0n ? 0 : Number((left * secondsPerHour) / funds.perHour);
}
