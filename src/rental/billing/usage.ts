// Usage and its cost so far: one line per instance and per reservation that was ever billed. Source: decisions, Money (by the second, from
// first active to the terminate request, stopped time included) and Instance life (stopped is billed, also before it
// was ever active).

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { asNoCostReason, type NoCostReason } from "../../rules/no-cost.ts";
import type { Page } from "../paging.ts";
import { asUuid } from "../uuid.ts";
import { costOf, downtimeSecondsUntil, secondsUntil, spanEnd } from "./cost-sql.ts";
import { creditOf, creditsOf } from "./credits.ts";
import { everySubject, noCostReason, type Subject, subjectOf } from "./subjects.ts";

export interface UsageLine {
  /** The span's id, and the cursor of a page. */
  readonly id: number;
  readonly accountId: string;
  readonly subject: Subject;
  readonly instanceType: string;
  readonly region: string;
  readonly startedAt: Date;
  /** Null while in use. */
  readonly endedAt: Date | null;
  /** How many a reservation is for; of an instance, 1. */
  readonly quantity: number;
  /** Billed; of a reservation, for each of its quantity. */
  readonly seconds: number;
  /** Of these, or besides, those in which its host was unreachable: credited, or not billed. */
  readonly downtimeSeconds: number;
  readonly priceCentsPerHour: number;
  readonly discountBasisPoints: number;
  readonly couponCode: string | null;
  readonly costMicroCents: bigint;
  /** What does not have to be paid of it. */
  readonly creditMicroCents: bigint;
  /** The token that launched it; null if unknown. */
  readonly tokenId: string | null;
  /** Of an instance; null: it is billed. */
  readonly noCostReason: NoCostReason | null;
}

/** Filters of usage. */
export interface UsageOf {
  /** Undefined: all accounts. */
  readonly accountId?: string | undefined;
  /** Undefined: all instances. */
  readonly instanceId?: string | undefined;
  /** Only what this token launched. Undefined: all. */
  readonly tokenId?: string | undefined;
  /** Undefined: from the beginning. */
  readonly from?: Date | undefined;
  /** Exclusive. Undefined: up to now. */
  readonly to?: Date | undefined;
}
export type UsageFilter = UsageOf & Page;

/** The lines, oldest first, as of now. Seconds and cost are those within the given time. */
export async function usageLines(db: Database, filter: UsageFilter): Promise<UsageLine[]> {
  const { seconds, downtime, cost, credit } = within(filter);
  const rows = await db
    .selectFrom("billing_spans as s")
    .innerJoin(everySubject.as("i"), (join) => join.onRef("i.id", "=", "s.instance_id"))
    .select([
      "s.id",
      "s.account_id",
      "s.instance_id",
      "i.name",
      "i.instance_type",
      "i.region",
      "i.is_reservation",
      "s.started_at",
      "s.quantity",
    ])
    // The end of a reservation is known from its begin on.
    .select(sql<Date | null>`case when s.ended_at <= now() then s.ended_at end`.as("ended_at"))
    .select(["s.price_cents_per_hour", "s.discount_basis_points", "s.coupon_code", "s.token_id"])
    .select([seconds.as("seconds"), downtime.as("downtime"), cost.as("cost"), credit.as("credit")])
    .select(noCostReason.as("no_cost_reason"))
    .where(spansOf(filter))
    .$if(filter.after !== undefined, (query) => query.where("s.id", ">", Number(filter.after)))
    .orderBy("s.id")
    .$if(filter.limit !== undefined, (query) => query.limit(filter.limit ?? 0))
    .execute();
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    subject: subjectOf({ id: row.instance_id, name: row.name, is_reservation: row.is_reservation }),
    instanceType: row.instance_type,
    region: row.region,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    quantity: row.quantity,
    seconds: row.seconds,
    downtimeSeconds: row.downtime,
    priceCentsPerHour: row.price_cents_per_hour,
    discountBasisPoints: row.discount_basis_points,
    couponCode: row.coupon_code,
    costMicroCents: BigInt(row.cost),
    creditMicroCents: BigInt(row.credit),
    tokenId: row.token_id,
    noCostReason: asNoCostReason(row.no_cost_reason),
  }));
}

/** The sums of every line's cost and credit as of now, in micro-cents. */
export interface Total {
  readonly costMicroCents: bigint;
  readonly creditMicroCents: bigint;
}

export async function totalCost(db: Database, usage: UsageOf): Promise<Total> {
  const { rows } = await sql<{ cost: string; credit: string }>`
    select coalesce(sum(${within(usage).cost}), 0)::text as cost,
      (select coalesce(sum(c.cost_micro_cents), 0)::text from billing_credits c where ${creditsOf(usage)}) as credit
    from billing_spans s where ${spansOf(usage)}`.execute(db);
  return { costMicroCents: BigInt(rows[0]?.cost ?? "0"), creditMicroCents: BigInt(rows[0]?.credit ?? "0") };
}

/** Which of `billing_spans s` overlap the usage, or have a credit since it began. */
export function spansOf({ accountId, instanceId, tokenId, from, to }: UsageOf): RawBuilder<boolean> {
  const conditions = [
    ...(accountId === undefined ? [] : [sql`s.account_id = ${asUuid(accountId)}`]),
    ...(instanceId === undefined ? [] : [sql`s.instance_id = ${asUuid(instanceId)}`]),
    ...(tokenId === undefined ? [] : [launchedBy(sql<string>`${asUuid(tokenId)}`)]),
    ...(from === undefined ? [] : [sql`(${spanEnd} > ${from} or s.credited_at >= ${from})`]),
    ...(to === undefined ? [] : [sql`s.started_at < ${to}`]),
  ];
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** Whether `billing_spans s` is of an instance that the token launched. */
export function launchedBy(tokenId: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`s.token_id = ${tokenId}`;
}

/** The part of a span within the time: the difference of two counts from its start, so that parts add up. */
function within({ from, to }: UsageOf): {
  seconds: RawBuilder<number>;
  downtime: RawBuilder<number>;
  cost: RawBuilder<string>;
  credit: RawBuilder<string>;
} {
  const last = to === undefined ? sql<Date>`now()` : sql<Date>`least(now(), ${to}::timestamptz)`;
  const [end, downtime] = [secondsUntil(last), downtimeSecondsUntil(last)];
  const credited = creditOf("downtime_seconds", { from, to });
  const credit = sql<string>`(${creditOf("cost_micro_cents", { from, to })})::text`;
  if (from === undefined) {
    return {
      seconds: sql<number>`(${end} * s.quantity)`,
      downtime: sql<number>`(${downtime} + ${credited})::bigint`,
      cost: costOf(end),
      credit,
    };
  }
  const first = sql<Date>`least(now(), ${from}::timestamptz)`;
  const start = secondsUntil(first);
  return {
    seconds: sql<number>`((${end} - ${start}) * s.quantity)`,
    downtime: sql<number>`(${downtime} - ${downtimeSecondsUntil(first)} + ${credited})::bigint`,
    cost: sql<string>`(${costOf(end)} - ${costOf(start)})`,
    credit,
  };
}

/** The database's clock, which all billing uses. */
export async function databaseNow(db: Database): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a select without a from gives a row");
  return row.now;
}

/** The cost of one instance or reservation so far, in micro-cents; 0 if it was never billed. */
export async function costSoFar(db: Database, instanceId: string): Promise<bigint> {
  const { rows } = await sql<{ cost: string }>`
    select ${costOf(secondsUntil(sql<Date>`now()`))}::text as cost from billing_spans s
    where s.instance_id = ${instanceId}`.execute(db);
  return BigInt(rows[0]?.cost ?? "0");
}
