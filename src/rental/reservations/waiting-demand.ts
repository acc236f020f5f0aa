// What launches that wait for capacity need together, by line: it comes before reservations that are made later. Read by
// choose-hosts.ts, and given places by waiting-places.ts.
//
// Invariant: spot launches are not in it, because they are behind everything; nor is what something else than capacity
// blocks, which holds no place. One statement over the index of those that hold one, however many wait.

import { type Selectable, sql } from "kysely";
import { type Question, question } from "../../database/round-trips.ts";
import type { InstanceTypesTable } from "../../database/tables/catalog.ts";
import { holdingBlocker, waitingState } from "../../rules/waiting-launches.ts";
import type { HostBound } from "../capacity/host-order.ts";
import { longestBootMs } from "../capacity/line.ts";
import { instanceTypeOf } from "../catalog/instance-type-store.ts";
import type { InstanceType } from "../instances/instance.ts";

/** The launches of one line that have a lifetime, or those that have none. In milliseconds (since 1970). */
export interface Demand {
  readonly product: InstanceType;
  /** Undefined: every one. */
  readonly region: string | undefined;
  readonly bound: HostBound;
  /** Of the first of them. */
  readonly position: number;
  /** Instances of all of them. */
  readonly quantity: number;
  /** How long the shortest of them stay at most, boot included; undefined: they have no lifetime. */
  readonly staysMs: number | undefined;
  /** The end of the longest wait: what is free later is for none of them. */
  readonly untilMs: number;
  /** When the last of them has surely ended, even if it is placed at the end of its wait; infinite: never. */
  readonly endedMs: number;
}

/** In order of position. */
export interface WaitingDemand {
  /** Of the database. */
  readonly nowMs: number;
  readonly demands: readonly Demand[];
}

interface Row {
  readonly now: number;
  readonly region: string | null;
  readonly bound: HostBound;
  readonly type: Selectable<InstanceTypesTable>;
  readonly position: number;
  readonly quantity: number;
  readonly seconds: number | null;
  readonly until: number;
  readonly ended: number | null;
}

/** Undefined: none waits. `bootSeconds`: how long a boot takes at most. To be asked after hosts are locked. */
export function waitingDemand(bootSeconds: number | undefined): Question<WaitingDemand | undefined> {
  const query = sql<Row>`
    select (extract(epoch from now()) * 1000)::float8 as now, l.region, l.bound, to_jsonb(t) as type, of_line.*
    from launch_lines l join instance_types t on t.name = l.instance_type cross join lateral (
      select min(w.position) as position, sum(w.quantity)::integer as quantity, min(w.max_lifetime_seconds) as seconds,
        (extract(epoch from max(w.wait_until)) * 1000)::float8 as until,
        (extract(epoch from max(w.wait_until + make_interval(secs => w.max_lifetime_seconds))) * 1000)::float8 as ended
      from waiting_launches w
      where w.line_id = l.id and w.state = ${sql.lit(waitingState)} and w.blocked_by = ${sql.lit(holdingBlocker)}
      group by w.max_lifetime_seconds is null) of_line
    where not l.spot order by of_line.position`;
  const bootMs = longestBootMs(bootSeconds);
  return question(query, (rows: Row[]) => {
    const nowMs = rows[0]?.now;
    if (nowMs === undefined) return undefined;
    const demands = rows.map(({ region, bound, type, position, quantity, seconds, until, ended }) => ({
      ...{ product: instanceTypeOf(type), region: region ?? undefined, bound, position, quantity },
      untilMs: until,
      staysMs: seconds === null ? undefined : seconds * 1000 + bootMs,
      endedMs: ended === null ? Number.POSITIVE_INFINITY : ended + bootMs,
    }));
    return { nowMs, demands };
  });
}
