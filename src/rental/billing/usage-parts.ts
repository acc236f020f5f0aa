// Usage by day and by month (UTC), per account, instance, instance type or token. A part's cost is the difference of
// two costs counted from the start of the span, so days add up to months, and months to the whole, to the micro-cent.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { Page } from "../paging.ts";
import { costOf, downtimeSecondsUntil, secondsUntil } from "./cost-sql.ts";
import { creditedDowntime, creditsOf } from "./credits.ts";
import { everySubject, type Subject, subjectOf } from "./subjects.ts";
import { spansOf, type UsageOf } from "./usage.ts";

export type Unit = "day" | "month";

/** What a part is split by, besides its account. */
export const partsOf = ["account", "instance", "instance_type", "token"] as const;
export type PartOf = (typeof partsOf)[number];

export interface UsagePart {
  /** The cursor of a page. */
  readonly key: string;
  /** 2026-03-01, or 2026-03. */
  readonly part: string;
  readonly accountId: string;
  /** Null unless split by instance: then that, or a reservation. */
  readonly subject: Subject | null;
  /** The name of the instance type; null unless split by it. */
  readonly instanceType: string | null;
  /** The token that launched the instances; null unless split by token, and for unknown tokens. */
  readonly tokenId: string | null;
  /** How many were in use; an instance used in two parts counts in both. A reservation counts as one. */
  readonly instances: number;
  readonly seconds: number;
  /** Not billed, because hosts were unreachable. */
  readonly downtimeSeconds: number;
  readonly costMicroCents: bigint;
  /** What does not have to be paid of it: credits given in this part. */
  readonly creditMicroCents: bigint;
}

/** `from` and `to` must be starts of such a unit. */
export interface PartsFilter extends UsageOf, Page {
  readonly unit: Unit;
  readonly per: PartOf;
}

/** Parts with usage, oldest first, as of now. */
export async function usageParts(db: Database, filter: PartsFilter): Promise<UsagePart[]> {
  const { unit, per, after, limit } = filter;
  const { rows } = await sql<{
    key: string;
    part: string;
    account_id: string;
    part_of: string | null;
    name: string | null;
    is_reservation: boolean | null;
    instances: number;
    seconds: number;
    downtime: number;
    cost: string;
    credit: string;
  }>`
    with sums as (
      select to_char(p.begins, ${unit === "day" ? "YYYY-MM-DD" : "YYYY-MM"}) as part, p.account_id,
        ${of[per]} as part_of, min(p.span_id) as first_span, ${usedInstances} as instances,
        sum(p.seconds)::bigint as seconds, sum(p.downtime)::bigint as downtime, sum(p.cost)::text as cost,
        sum(p.credit)::text as credit
      from ${cutSpans(unit, filter)} p ${per === "instance_type" ? instanceOfSpan : sql``}
      group by 1, 2, 3
      having bool_or(${hasUse})
    ), keyed as (
      select sums.*, concat_ws('/', part, account_id, ${per === "instance" ? inOrderOfSpans : sql`part_of`}) collate "C" as key from sums
    )
    select keyed.*, ${per === "instance" ? sql`i.name, i.is_reservation` : sql`null as name, null as is_reservation`}
    from keyed ${per === "instance" ? sql`left join ${everySubject} i on i.id = keyed.part_of::uuid` : sql``}
    where ${after ?? null}::text is null or key > ${after ?? null}
    order by key
    limit ${limit ?? null}::bigint`.execute(db);
  return rows.map((row) => ({
    key: row.key,
    part: row.part,
    accountId: row.account_id,
    subject:
      per === "instance" && row.part_of !== null
        ? subjectOf({ id: row.part_of, name: row.name ?? "", is_reservation: row.is_reservation === true })
        : null,
    instanceType: per === "instance_type" ? row.part_of : null,
    tokenId: per === "token" ? row.part_of : null,
    instances: row.instances,
    seconds: row.seconds,
    downtimeSeconds: row.downtime,
    costMicroCents: BigInt(row.cost),
    creditMicroCents: BigInt(row.credit),
  }));
}

/** Whether a piece `p` of a span has time, billed or not. */
export const hasUse: RawBuilder<boolean> = sql<boolean>`p.seconds + p.downtime > 0`;
/** How many instances have such pieces. A credit is a piece of its own. */
export const usedInstances: RawBuilder<number> = sql<number>`count(distinct p.instance_id) filter (where ${hasUse})`;

/** The text that distinguishes parts of an account, of a span piece `p`. */
const of: Record<PartOf, RawBuilder<string | null>> = {
  account: sql`null::text`,
  instance: sql`p.instance_id::text`,
  instance_type: sql`i.instance_type`,
  token: sql`p.token_id::text`,
};

/** Instances have random ids: in the order in which they were first billed. */
const inOrderOfSpans = sql`lpad(first_span::text, 19, '0')`;

const instanceOfSpan = sql`left join ${everySubject} i on i.id = p.instance_id`;

/**
 * Every span of the usage, split at the starts of days or months, and its credits: rows of `begins` (a timestamp in UTC),
 * span_id, account_id, instance_id, token_id, seconds, downtime, cost, credit. Only for use in a FROM.
 */
export function cutSpans(unit: Unit, usage: UsageOf): RawBuilder<unknown> {
  const one = sql`${`1 ${unit}`}::interval`;
  const until = (moment: RawBuilder<unknown>) => sql<Date>`least(now(), (${moment}) at time zone 'UTC')`;
  const [first, last] = [until(sql`cut.begins`), until(sql`cut.begins + ${one}`)];
  const [start, end] = [secondsUntil(first), secondsUntil(last)];
  return sql`(
    select cut.begins, s.id as span_id, s.account_id, s.instance_id, s.token_id, (${end} - ${start}) * s.quantity as seconds,
      ${downtimeSecondsUntil(last)} - ${downtimeSecondsUntil(first)} as downtime, ${costOf(end)} - ${costOf(start)} as cost,
      0 as credit
    from billing_spans s
    cross join lateral generate_series(
      date_trunc(${unit}, greatest(s.started_at, ${usage.from ?? null}::timestamptz) at time zone 'UTC'),
      least(coalesce(s.ended_at, now()), now(), ${usage.to ?? null}::timestamptz - interval '1 microsecond') at time zone 'UTC',
      ${one}
    ) as cut (begins)
    where ${spansOf(usage)}
    union all
    select date_trunc(${unit}, c.given_at at time zone 'UTC'), s.id, c.account_id, c.instance_id, c.token_id, 0, ${creditedDowntime}, 0,
      c.cost_micro_cents
    from billing_credits c join billing_spans s on s.instance_id = c.instance_id
    where ${creditsOf(usage)}
  )`;
}
