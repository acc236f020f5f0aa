// What reservations that are not over will still cost: spend limits count it from the moment on that they are made, so that
// nothing else uses it up. Used by spend-room.ts for
// this month, by reservations/spending.ts for later ones, and by funds/ for all of it.

import { type RawBuilder, sql } from "kysely";
import { monthStart, unitCostOf } from "./cost-sql.ts";

/** The sum for the rest of this month, in micro-cents. `who`: a condition on `reservations r`. */
export function committedThisMonth(who: RawBuilder<boolean>): RawBuilder<string> {
  return committed(sql`least(r.ends_at, ${monthStart} + interval '1 month')`, who);
}

/** Likewise, until they end. */
export function stillCommitted(who: RawBuilder<boolean>): RawBuilder<string> {
  return committed(sql`r.ends_at`, who);
}

function committed(to: RawBuilder<unknown>, who: RawBuilder<boolean>): RawBuilder<string> {
  const begin = sql`coalesce(r.started_at, r.begins_at)`;
  const cost = (until: RawBuilder<unknown>) => {
    const seconds = sql<number>`greatest(0, floor(extract(epoch from ${until} - ${begin})))::bigint`;
    return sql`r.quantity * ${unitCostOf(seconds, sql`r.price_cents_per_hour`, sql`0`)}`;
  };
  return sql<string>`(
    select coalesce(sum(${cost(to)} - ${cost(sql`least(${to}, statement_timestamp())`)}), 0)
    from reservations r where r.ended_at is null and ${who})`;
}
