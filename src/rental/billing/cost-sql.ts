// rules/cost.ts in SQL, for sums over many spans. cost-sql.test.ts compares both, span by span. A cost is cumulative
// from the span's start and rounded down once, so a part of a span is the difference of two costs and the parts add up
// to the whole. Downtime (downtime.ts) is taken from the time before that is rounded.

import { type RawBuilder, sql } from "kysely";
import { basisPointsPerWhole, microCentsPerCent, secondsPerHour } from "../../rules/cost.ts";

/** Whole billed seconds from the span's start to `until`, or to its end if earlier; 0 before its start. */
export function secondsUntil(until: RawBuilder<Date>): RawBuilder<number> {
  const end = endUntil(until);
  return sql<number>`greatest(0, floor(extract(epoch from ${end} - s.started_at) - ${downtimeUntil(end)}))::bigint`;
}

/** Whole seconds of its downtime, likewise. */
export function downtimeSecondsUntil(until: RawBuilder<Date>): RawBuilder<number> {
  return sql<number>`floor(${downtimeUntil(endUntil(until))})::bigint`;
}

function endUntil(until: RawBuilder<Date>): RawBuilder<Date> {
  return sql<Date>`least(coalesce(s.ended_at, ${until}), ${until})`;
}

/** Nearly all spans have none. */
function downtimeUntil(end: RawBuilder<Date>): RawBuilder<number> {
  return sql<number>`case when isempty(s.downtime) then 0 else downtime_seconds(s.downtime, s.started_at, ${end}) end`;
}

/** The end of the span, for comparisons: an open one ends after everything. Indexed in this form. */
export const spanEnd: RawBuilder<Date> = sql<Date>`coalesce(s.ended_at, 'infinity')`;

/** The start of this month, in UTC. */
export const monthStart: RawBuilder<Date> = sql<Date>`(date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')`;

/** Inlined in the statement, for its plan. */
const constant = (value: bigint): RawBuilder<number> => sql.raw(value.toString());
const [whole, cent, hour] = [basisPointsPerWhole, microCentsPerCent, secondsPerHour].map(constant);

/** Micro-cents of `billing_spans s` for its first `seconds`: of a reservation, for all of its quantity. */
export function costOf(seconds: RawBuilder<number>): RawBuilder<string> {
  return sql<string>`(s.quantity * ${unitCostOf(seconds)})`;
}

/** The same for one, of a row with this price. `div`, because `/` rounds long quotients up. */
export function unitCostOf(
  seconds: RawBuilder<number>,
  price: RawBuilder<unknown> = sql`s.price_cents_per_hour`,
  discount: RawBuilder<unknown> = sql`s.discount_basis_points`,
): RawBuilder<string> {
  return sql<string>`div(${seconds}::numeric * ${price} * (${whole} - ${discount}) * ${cent}, ${hour}::numeric * ${whole})`;
}
