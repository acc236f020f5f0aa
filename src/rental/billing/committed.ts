// What reservations that are not over will still cost: spend limits count it from the moment on that they are made, so that
// nothing else uses it up. Used by spend-room.ts for this month, and by reservations/spending.ts for later ones.

import { type RawBuilder, sql } from "kysely";
import { monthStart, unitCostOf } from "./cost-sql.ts";

/** The sum for the rest of this month, in micro-cents. `who`: a condition on `reservations r`. */
export function committedThisMonth(who: RawBuilder<boolean>): RawBuilder<string> {
  const begin = sql`coalesce(r.started_at, r.begins_at)`;
  const cost = (until: RawBuilder<unknown>) => {
    const seconds = sql<number>`greatest(0, floor(extract(epoch from least(r.ends_at, ${until}) - ${begin})))::bigint`;
    return sql`r.quantity * ${unitCostOf(seconds, sql`r.price_cents_per_hour`, sql`0`)}`;
  };
  return sql<string>`(
    select coalesce(sum(${cost(sql`${monthStart} + interval '1 month'`)} - ${cost(sql`statement_timestamp()`)}), 0)
    from reservations r where r.ended_at is null and ${who})`;
}
