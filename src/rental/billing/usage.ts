// What has been used, and what it costs so far: one line for each instance that was ever active.
// Source: decisions, Money (by the second, from first active to the terminate request, stopped time included).

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { Page } from "../paging.ts";
import { asUuid } from "../uuid.ts";
import { costOf, secondsUntil } from "./cost-sql.ts";

export interface UsageLine {
  /** Of the span; what a page goes on after. */
  readonly id: number;
  readonly accountId: string;
  readonly instanceId: string;
  readonly instanceName: string;
  readonly instanceType: string;
  readonly region: string;
  readonly startedAt: Date;
  /** Null while it is being used. */
  readonly endedAt: Date | null;
  readonly seconds: number;
  readonly priceCentsPerHour: number;
  readonly discountBasisPoints: number;
  readonly couponCode: string | null;
  readonly costMicroCents: bigint;
}

export interface UsageFilter extends Page {
  /** Undefined: all accounts. */
  readonly accountId: string | undefined;
}

/** The lines, oldest first, as of now. */
export async function usageLines(db: Database, filter: UsageFilter): Promise<UsageLine[]> {
  const seconds = secondsUntil(sql<Date>`now()`);
  const rows = await db
    .selectFrom("billing_spans as s")
    .innerJoin("instances as i", "i.id", "s.instance_id")
    .select([
      "s.id",
      "s.account_id",
      "s.instance_id",
      "i.name",
      "i.instance_type",
      "i.region",
      "s.started_at",
      "s.ended_at",
    ])
    .select(["s.price_cents_per_hour", "s.discount_basis_points", "s.coupon_code"])
    .select([seconds.as("seconds"), costOf(seconds).as("cost")])
    .$if(filter.accountId !== undefined, (query) => query.where("s.account_id", "=", asUuid(filter.accountId ?? "")))
    .$if(filter.after !== undefined, (query) => query.where("s.id", ">", Number(filter.after)))
    .orderBy("s.id")
    .$if(filter.limit !== undefined, (query) => query.limit(filter.limit ?? 0))
    .execute();
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    instanceId: row.instance_id,
    instanceName: row.name,
    instanceType: row.instance_type,
    region: row.region,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    seconds: row.seconds,
    priceCentsPerHour: row.price_cents_per_hour,
    discountBasisPoints: row.discount_basis_points,
    couponCode: row.coupon_code,
    costMicroCents: BigInt(row.cost),
  }));
}

/** The sum of every line's cost as of now, in micro-cents. */
export async function totalCost(db: Database, accountId: string | undefined): Promise<bigint> {
  const account = accountId === undefined ? null : asUuid(accountId);
  const { rows } = await sql<{ cost: string }>`
    select coalesce(sum(${costOf(secondsUntil(sql<Date>`now()`))}), 0)::text as cost from billing_spans s
    where ${account}::uuid is null or s.account_id = ${account}`.execute(db);
  return BigInt(rows[0]?.cost ?? "0");
}

/** What one instance has cost so far, in micro-cents; 0 where it was never active. */
export async function costSoFar(db: Database, instanceId: string): Promise<bigint> {
  const { rows } = await sql<{ cost: string }>`
    select ${costOf(secondsUntil(sql<Date>`now()`))}::text as cost from billing_spans s
    where s.instance_id = ${instanceId}`.execute(db);
  return BigInt(rows[0]?.cost ?? "0");
}

/** What the account has used since the month (UTC) began, in micro-cents. */
export async function costThisMonth(db: Database, accountId: string): Promise<bigint> {
  const monthStart = sql<Date>`(date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')`;
  const { rows } = await sql<{ cost: string }>`
    select coalesce(sum(${costOf(secondsUntil(sql<Date>`now()`))} - ${costOf(secondsUntil(monthStart))}), 0)::text as cost
    from billing_spans s
    where s.account_id = ${accountId} and (s.ended_at is null or s.ended_at > ${monthStart})`.execute(db);
  return BigInt(rows[0]?.cost ?? "0");
}
