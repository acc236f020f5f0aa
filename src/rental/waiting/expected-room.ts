// When hosts are expected to have room for instances of a type, slot by slot: by what ends when, of the GPUs of its model that
// are not promised to reservations. Used by earmarks.ts and computed-start.ts.
//
// Invariant: an estimate, which decides nothing about capacity. Of instances without an end nothing is expected.

import { type RawBuilder, sql } from "kysely";
import { within } from "../capacity/host-lock.ts";
import type { HostBound } from "../capacity/host-order.ts";
import { longestBootMs } from "../capacity/line.ts";
import { returnsByItself } from "../gpus/gpu-sql.ts";
import { acceptsInstances } from "../hosts/accepting.ts";
import { bootBegan } from "../instances/boot-began.ts";
import type { InstanceType } from "../instances/instance.ts";

/** A lifetime counts from the end of the boot. */
const bootSeconds = sql.lit(longestBootMs(undefined) / 1000);

/** Of a launch that waits. */
export interface RoomWanted {
  readonly position: number;
  /** Null: every one. */
  readonly region: string | null;
  readonly bound: HostBound;
}

/**
 * Rows of host, region, slot (from 1), free (GPUs now), and since: when that many instances are expected to fit; null: not
 * known. Of hosts where one could ever fit that are not kept for an earlier launch. GPUs between two customers count as free,
 * and spot instances end after a notice.
 */
export function expectedRoom(
  { gpuModel, gpus, vcpus, memoryGib, storageGb }: InstanceType,
  { position, region, bound }: RoomWanted,
  noticeSeconds: number,
): RawBuilder<unknown> {
  return sql`(
    with could as (
      select h.name, h.region, p.total - promised.gpus as total, p.free - promised.gpus + back.gpus as free
      from hosts h join gpu_pools p on p.host = h.name and p.model = ${gpuModel} cross join lateral (
        select coalesce(sum(rh.slots * (r.type ->> 'gpus')::integer), 0)::integer as gpus
        from reservation_hosts rh join reservations r on r.id = rh.reservation_id
        where h.promised > 0 and rh.host = h.name and r.type ->> 'gpu_model' = ${gpuModel}) promised cross join lateral (
        select count(*)::integer as gpus from gpus g
        where g.host = h.name and g.model = ${gpuModel} and g.healthy and ${returnsByItself(sql`g.state`)}) back
      where ${acceptsInstances(sql`h.state`)} and coalesce(h.earmark_position >= ${position}, true) and ${within(bound)}
        and (${region}::text is null or h.region = ${region})
        and h.vcpus >= ${vcpus} and h.memory_gib >= ${memoryGib} and h.storage_gb >= ${storageGb}
    ), ending as (
      select c.name, i.ends_at, c.free + sum(i.gpus) over (
        partition by c.name order by i.ends_at nulls last, i.id) as free_then
      from could c join (
        select id, host, gpus, least(terminating_at, evict_at, case when spot then now() + make_interval(secs => ${noticeSeconds}) end,
          coalesce(expires_at, ${bootBegan(sql`instances`)} + make_interval(secs => max_lifetime_seconds + ${bootSeconds}))) as ends_at
        from instances where gpu_model = ${gpuModel} and terminated_at is null) i on i.host = c.name
    )
    select c.name as host, c.region, c.free, slot, case when c.free >= slot * ${gpus}::integer then now()
      else (select min(e.ends_at) from ending e where e.name = c.name and e.free_then >= slot * ${gpus}::integer) end as since
    from could c cross join lateral generate_series(1, c.total / ${gpus}::integer) slot)`;
}
