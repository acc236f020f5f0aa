// The availability of a host: which share of the last 30 days its engine reached it. Outages are recorded where they end
// (lost-hosts.ts), and kept longer than that (retention.ts). Read with every host (capacity/host-reading.ts).

import { type RawBuilder, sql } from "kysely";

/** Days that availability is told of; less for a host that is not known for as long. */
export const availabilityDays = 30;

/** Seconds of it, and how many of them were outages; whole, as numbers. */
export interface HostTime {
  readonly knownSeconds: number;
  readonly outageSeconds: number;
}

/** The time of the row `h` of hosts, as a JSON object: HostTime. The outage in progress counts until now. */
export const timeOfHost: RawBuilder<HostTime> = sql`(
  select jsonb_build_object(
    'knownSeconds', extract(epoch from now() - since),
    'outageSeconds', coalesce((
      select sum(extract(epoch from o.ended_at - greatest(o.began_at, since))) from host_outages o
      where o.host = h.name and o.ended_at > since), 0)
      + case when h.unreachable_since is null then 0
        else extract(epoch from now() - greatest(h.unreachable_since, since)) end)
  from (select greatest(h.known_since, now() - make_interval(days => ${sql.lit(availabilityDays)})) as since) time)`;

/** A statement's part that records the outages that end by it. `ending`: rows of name and unreachable_since. */
export function recordOutages(ending: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into host_outages (host, began_at, ended_at)
    select name, unreachable_since, greatest(now(), unreachable_since) from (${ending}) ending
    on conflict (host, began_at) do nothing`;
}
