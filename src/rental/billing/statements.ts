// Statements: an account's usage in a month (UTC), one line per instance or reservation; the total is the sum of the lines. Those of
// closed months are immutable rows (close-months.ts); an open month is computed. Both use the same SQL, so closing
// changes no number. A month without usage has no statement.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { asNoCostReason, type NoCostReason } from "../../rules/no-cost.ts";
import { RentalError } from "../errors.ts";
import type { Page } from "../paging.ts";
import { asUuid } from "../uuid.ts";
import { costOf, downtimeSecondsUntil, secondsUntil } from "./cost-sql.ts";
import { creditOf } from "./credits.ts";
import { everySubject, noCostReason, type Subject, subjectOf } from "./subjects.ts";
import { spansOf } from "./usage.ts";
import { cutSpans, hasUse, usedInstances } from "./usage-parts.ts";

/** A statement without its lines. */
export interface StatementSum {
  /** The cursor of a page. */
  readonly key: string;
  /** 2026-03. */
  readonly month: string;
  readonly accountId: string;
  /** Null: open, it can still grow. */
  readonly closedAt: Date | null;
  /** Number of lines. */
  readonly instances: number;
  readonly seconds: number;
  /** Not billed, because hosts were unreachable. */
  readonly downtimeSeconds: number;
  readonly costMicroCents: bigint;
  /** What does not have to be paid of it: credits given in the month. */
  readonly creditMicroCents: bigint;
}

export interface StatementLine {
  /** The cursor of a page. */
  readonly key: string;
  readonly accountId: string;
  readonly subject: Subject;
  readonly instanceType: string;
  readonly region: string;
  /** How many a reservation is for; of an instance, 1. */
  readonly quantity: number;
  readonly seconds: number;
  /** Not billed, because its host was unreachable. */
  readonly downtimeSeconds: number;
  readonly priceCentsPerHour: number;
  readonly discountBasisPoints: number;
  readonly couponCode: string | null;
  readonly costMicroCents: bigint;
  readonly creditMicroCents: bigint;
  /** Of an instance; null: it is billed. */
  readonly noCostReason: NoCostReason | null;
}

/** Undefined account: all. */
export type StatementFilter = { readonly accountId: string | undefined } & Page;

/** A month, from its start to before the start of the next. */
export interface Month {
  /** 2026-03. */
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

/** The month of this name (YYYY-MM), in UTC; undefined if invalid. */
export function monthOf(name: string): Month | undefined {
  const [, year = "", month = ""] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(name) ?? [];
  if (year < "1970") return undefined;
  return {
    name,
    from: new Date(Date.UTC(Number(year), Number(month) - 1)),
    to: new Date(Date.UTC(Number(year), Number(month))),
  };
}

/** The time that is not in closed months, as far as it goes. */
export async function openTime(db: Database): Promise<Pick<Month, "from" | "to">> {
  const { rows } = await sql<{ from: Date | null }>`
    select (max(month) + interval '1 month') at time zone 'UTC' as from from closed_months`.execute(db);
  return { from: rows[0]?.from ?? new Date(0), to: new Date(Date.UTC(9999, 0)) };
}

/** The last closed month, and those that are open: from the first with usage to this one. */
export async function recentMonths(db: Database): Promise<Month[]> {
  const { rows } = await sql<{ name: string }>`
    select to_char(month, 'YYYY-MM') as name
    from generate_series(
      coalesce((select max(month)::timestamp from closed_months),
        (select date_trunc('month', min(started_at) at time zone 'UTC') from billing_spans)),
      now() at time zone 'UTC', interval '1 month') as month
    order by month`.execute(db);
  return rows.map(({ name }) => namedMonth(name));
}

/** Throws "BUG: …". */
export function namedMonth(name: string): Month {
  const month = monthOf(name);
  if (month === undefined) throw new Error(`BUG: ${name} is no month`);
  return month;
}

export async function listStatements(db: Database, filter: StatementFilter): Promise<StatementSum[]> {
  const accountId = filter.accountId === undefined ? null : asUuid(filter.accountId);
  const { rows: ends } = await sql<{ month: string | null; open: Date | null }>`
    select max(month)::text as month, (max(month) + interval '1 month') at time zone 'UTC' as open
    from closed_months`.execute(db);
  const { month: last = null, open = null } = ends[0] ?? {};
  const { rows } = await sql<{
    key: string;
    month: string;
    account_id: string;
    closed_at: Date | null;
    instances: number;
    seconds: number;
    downtime: number;
    cost: string;
    credit: string;
  }>`
    with sums as (
      select to_char(l.month, 'YYYY-MM') as month, l.account_id, c.closed_at,
        count(*) as instances, sum(l.seconds)::bigint as seconds,
        sum(l.downtime_seconds)::bigint as downtime, sum(l.cost_micro_cents) as cost,
        sum(l.credit_micro_cents) as credit
      from statement_lines l join closed_months c on c.month = l.month
      where l.month <= ${last}::date and (${accountId}::uuid is null or l.account_id = ${accountId})
      group by 1, 2, 3
      union all
      select to_char(p.begins, 'YYYY-MM'), p.account_id, null,
        ${usedInstances}, sum(p.seconds)::bigint, sum(p.downtime)::bigint, sum(p.cost), sum(p.credit)
      from ${cutSpans("month", { accountId: filter.accountId, from: open ?? undefined })} p
      group by 1, 2
      having bool_or(${hasUse})
    ), keyed as (
      select concat_ws('/', month, account_id) collate "C" as key, sums.* from sums
    )
    select key, month, account_id, closed_at, instances, seconds, downtime, cost::text as cost, credit::text as credit from keyed
    where ${filter.after ?? null}::text is null or key > ${filter.after ?? null}
    order by key
    limit ${filter.limit ?? null}::bigint`.execute(db);
  return rows.map((row) => ({
    key: row.key,
    month: row.month,
    accountId: row.account_id,
    closedAt: row.closed_at,
    instances: row.instances,
    seconds: row.seconds,
    downtimeSeconds: row.downtime,
    costMicroCents: BigInt(row.cost),
    creditMicroCents: BigInt(row.credit),
  }));
}

/**
 * The sum of the month's lines, of an account or of all, and when it was closed. Throws RentalError unknown-object if
 * nothing was used. Call it and `statementLines` in one transaction, so that `now` is the same.
 */
export async function statementSum(
  db: Database,
  month: Month,
  accountId: string | undefined,
): Promise<Omit<StatementSum, "key" | "month" | "accountId">> {
  const { rows } = await sql<{
    closed_at: Date | null;
    instances: number;
    seconds: number;
    downtime: number;
    cost: string;
    credit: string;
  }>`
    select (select closed_at from closed_months where month = ${firstDay(month)}::date) as closed_at,
      count(*) as instances, coalesce(sum(seconds), 0)::bigint as seconds,
      coalesce(sum(downtime_seconds), 0)::bigint as downtime, coalesce(sum(cost), 0)::text as cost,
      coalesce(sum(credit), 0)::text as credit
    from ${await linesOf(db, month, accountId)} lines`.execute(db);
  const [row] = rows;
  if (row === undefined || row.instances === 0) {
    throw new RentalError("unknown-object", { what: "statement", ids: [month.name] });
  }
  return {
    closedAt: row.closed_at,
    instances: row.instances,
    seconds: row.seconds,
    downtimeSeconds: row.downtime,
    costMicroCents: BigInt(row.cost),
    creditMicroCents: BigInt(row.credit),
  };
}

/** The month's lines, by account and then in the order of their spans. */
export async function statementLines(db: Database, month: Month, filter: StatementFilter): Promise<StatementLine[]> {
  const { rows } = await sql<{
    key: string;
    account_id: string;
    instance_id: string;
    instance_name: string;
    instance_type: string;
    region: string;
    is_reservation: boolean;
    quantity: number;
    seconds: number;
    downtime_seconds: number;
    price_cents_per_hour: number;
    discount_basis_points: number;
    coupon_code: string | null;
    cost_text: string;
    credit_text: string;
    no_cost_reason: string | null;
  }>`
    select * from (
      select concat_ws('/', lines.account_id, lpad(s.id::text, 19, '0')) collate "C" as key, lines.*,
        lines.cost::text as cost_text, lines.credit::text as credit_text,
        coalesce(i.is_reservation, false) as is_reservation, ${noCostReason} as no_cost_reason
      from ${await linesOf(db, month, filter.accountId)} lines join billing_spans s on s.instance_id = lines.instance_id
        left join ${everySubject} i on i.id = lines.instance_id
    ) keyed
    where ${filter.after ?? null}::text is null or key > ${filter.after ?? null}
    order by key
    limit ${filter.limit ?? null}::bigint`.execute(db);
  return rows.map((row) => ({
    key: row.key,
    accountId: row.account_id,
    subject: subjectOf({ id: row.instance_id, name: row.instance_name, is_reservation: row.is_reservation }),
    instanceType: row.instance_type,
    region: row.region,
    quantity: row.quantity,
    seconds: row.seconds,
    downtimeSeconds: row.downtime_seconds,
    priceCentsPerHour: row.price_cents_per_hour,
    discountBasisPoints: row.discount_basis_points,
    couponCode: row.coupon_code,
    costMicroCents: BigInt(row.cost_text),
    creditMicroCents: BigInt(row.credit_text),
    noCostReason: asNoCostReason(row.no_cost_reason),
  }));
}

/** The month's lines computed from the spans, with the columns of `statement_lines` without the month; or those of any time. */
export function computedLines(month: Pick<Month, "from" | "to">, accountId: string | undefined): RawBuilder<unknown> {
  const [last, first] = [month.to, month.from].map((moment) => sql<Date>`least(now(), ${moment}::timestamptz)`);
  if (last === undefined || first === undefined) throw new Error("BUG: two were given");
  const [end, start] = [secondsUntil(last), secondsUntil(first)];
  const downtime = sql`(${downtimeSecondsUntil(last)} - ${downtimeSecondsUntil(first)} + ${creditOf("downtime_seconds", month)})::bigint`;
  return sql`(
    select s.account_id, s.instance_id, i.name as instance_name, i.instance_type, i.region, (${end} - ${start}) * s.quantity as seconds,
      ${downtime} as downtime_seconds, s.price_cents_per_hour, s.discount_basis_points, s.coupon_code, ${costOf(end)} - ${costOf(start)} as cost,
      ${creditOf("cost_micro_cents", month)} as credit, s.quantity
    from billing_spans s join ${everySubject} i on i.id = s.instance_id
    where ${spansOf({ accountId, from: month.from, to: month.to })}
      and (${end} - ${start} + ${downtime} > 0 or ${creditOf("cost_micro_cents", month)} > 0)
  )`;
}

export function firstDay(month: Month): string {
  return `${month.name}-01`;
}

/** The same of a closed month as they were when it was closed. */
export async function linesOf(db: Database, month: Month, accountId: string | undefined): Promise<RawBuilder<unknown>> {
  const { rows } = await sql`select from closed_months where month = ${firstDay(month)}::date`.execute(db);
  if (rows.length === 0) return computedLines(month, accountId);
  const account = accountId === undefined ? null : asUuid(accountId);
  return sql`(
    select account_id, instance_id, instance_name, instance_type, region, seconds, downtime_seconds, price_cents_per_hour,
      discount_basis_points, coupon_code, cost_micro_cents as cost, credit_micro_cents as credit, quantity
    from statement_lines
    where month = ${firstDay(month)}::date and (${account}::uuid is null or account_id = ${account})
  )`;
}
