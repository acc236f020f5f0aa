// Hosts that are kept for waiting launches that fit on no host yet, such as one of 8 GPUs while instances of 1 come and go:
// otherwise each GPU that becomes free would go to a smaller one, and it would wait forever. Used by placer.ts. Those on
// which spot instances are evicted for a launch are kept for it too, whatever its size (spot/settle.ts).
//
// Invariant: a host is kept for one launch at most, and only for the first of a line; only launches behind it are kept
// off, and those that end before it is expected to fit are not. An earmark decides nothing else: the launch is placed
// wherever it fits first.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { inTransaction } from "../../database/transaction.ts";
import { type SpotSettings, spotDefaults } from "../../rules/spot.ts";
import { holdingBlocker, waitingState } from "../../rules/waiting-launches.ts";
import { within } from "../capacity/host-lock.ts";
import type { HostBound } from "../capacity/host-order.ts";
import { instanceTypesNamed } from "../catalog/instance-type-store.ts";
import { returnsByItself } from "../gpus/gpu-sql.ts";
import { acceptsInstances } from "../hosts/accepting.ts";
import type { InstanceType } from "../instances/instance.ts";

/** The first of a line for which hosts are missing. */
interface First {
  readonly id: string;
  readonly position: number;
  readonly quantity: number;
  readonly instanceType: string;
  readonly region: string | null;
  readonly bound: HostBound;
}

/** Keeps hosts for the first of each line. */
export async function keepHosts(db: Database, spot: SpotSettings = spotDefaults): Promise<void> {
  for (const first of await firsts(db)) await keepFor(db, first, spot);
}

/** Whether spot instances are evicted for the launch with this id, or are being removed for it. */
const isEvictedFor = (id: RawBuilder<string>) => sql<boolean>`exists (
  select from instances i where i.evicted_for = ${id} and i.evict_at is not null and i.terminated_at is null)`;

/**
 * Whether the host `h` is kept for a launch that waits no longer for capacity, or accepts nothing now; for one of 1 GPU or
 * none, also when all that was evicted for it is gone, and no GPU returns.
 */
export const isKeptInVain = sql<boolean>`(h.earmarked_for is not null and (not ${acceptsInstances(sql`h.state`)}
  or not exists (
    select from waiting_launches w left join instance_types t on t.name = w.instance_type
    where w.id = h.earmarked_for and w.state = ${sql.lit(waitingState)} and w.blocked_by = ${sql.lit(holdingBlocker)}
      and (t.gpus > 1 or ${isEvictedFor(sql<string>`w.id`)}
        or exists (select from gpus g where g.host = h.name and ${returnsByItself(sql`g.state`)})))))`;

/** Gives those back. */
export async function giveHostsBack(db: Database): Promise<void> {
  // Locked in order of name, as by launches that wait for hosts.
  await sql`
    with over as (
      select h.name from hosts h where ${isKeptInVain} order by h.name for update)
    update hosts set earmarked_for = null, earmark_position = null, earmark_from = null
    from over where hosts.name = over.name`.execute(db);
}

/** Of launches of several GPUs: one of 1 GPU or none fits wherever one ends. Not of spot, for which nothing is kept. */
async function firsts(db: Database): Promise<First[]> {
  const { rows } = await sql<First>`
    select first.id, first.position, first.quantity, l.instance_type as "instanceType", l.region, l.bound
    from launch_lines l join instance_types t on t.name = l.instance_type and t.gpus > 1 and not l.spot cross join lateral (
      select w.id, w.position, w.quantity from waiting_launches w
      where w.line_id = l.id and w.state = ${sql.lit(waitingState)} and w.blocked_by = ${sql.lit(holdingBlocker)}
      order by w.position limit 1) first
    where (select count(*) from hosts h where h.earmarked_for = first.id) < first.quantity
      and not ${isEvictedFor(sql<string>`first.id`)}
    order by first.position`.execute(db);
  return rows;
}

async function keepFor(db: Database, first: First, spot: SpotSettings): Promise<void> {
  await inTransaction(db, async (tx) => {
    const product = (await ask(tx, instanceTypesNamed(tx, [first.instanceType]))).get(first.instanceType);
    if (product === undefined) return;
    const kept = await keptNow(tx, first);
    const missing = first.quantity - (kept?.hosts ?? first.quantity);
    if (missing <= 0) return;
    const region = kept?.region ?? first.region;
    await sql`
      with best as (${bestHosts(product, { ...first, region }, missing, spot)}), locked as (
        select h.name from hosts h where h.name in (select name from best) and h.earmarked_for is null
        order by h.name for update)
      update hosts h set earmarked_for = ${first.id}, earmark_position = ${first.position}, earmark_from = best.since
      from best, locked where h.name = best.name and h.name = locked.name`.execute(tx);
  });
}

/** Under its lock, so that two replicas keep no hosts twice. Undefined: it does not wait for capacity any more. */
async function keptNow(tx: Transaction, { id }: First): Promise<Kept | undefined> {
  const { rows: waiting } = await sql`
    select from waiting_launches where id = ${id} and state = ${sql.lit(waitingState)}
      and blocked_by = ${sql.lit(holdingBlocker)} for update`.execute(tx);
  if (waiting.length === 0) return undefined;
  const { rows } = await sql<Kept>`
    select count(*)::integer as hosts, min(region) as region from hosts where earmarked_for = ${id}`.execute(tx);
  return rows[0];
}

interface Kept {
  readonly hosts: number;
  /** Null: none is kept. */
  readonly region: string | null;
}

/**
 * Where it is expected to fit first: by what ends when, of the GPUs of its model that are not promised to reservations; spot
 * instances can end after a notice. Of hosts where it could ever fit, in one region, because all of a launch is in one.
 */
function bestHosts(
  { gpuModel, gpus, vcpus, memoryGib, storageGb }: InstanceType,
  first: First,
  count: number,
  { noticeSeconds }: SpotSettings,
) {
  return sql`
    with could as (
      select h.name, h.region, p.free - promised.gpus as free
      from hosts h join gpu_pools p on p.host = h.name and p.model = ${gpuModel} cross join lateral (
        select coalesce(sum(rh.slots * (r.type ->> 'gpus')::integer), 0)::integer as gpus
        from reservation_hosts rh join reservations r on r.id = rh.reservation_id
        where h.promised > 0 and rh.host = h.name and r.type ->> 'gpu_model' = ${gpuModel}) promised
      where ${acceptsInstances(sql`h.state`)} and h.earmarked_for is null and ${within(first.bound)}
        and (${first.region}::text is null or h.region = ${first.region}) and p.total - promised.gpus >= ${gpus}
        and h.vcpus >= ${vcpus} and h.memory_gib >= ${memoryGib} and h.storage_gb >= ${storageGb}
    ), ending as (
      select c.name, i.expires_at, c.free + sum(i.gpus) over (
        partition by c.name order by i.expires_at nulls last, i.id) as free_then
      from could c join (
        select id, host, gpu_model, gpus, terminated_at,
          case when spot then least(expires_at, now() + make_interval(secs => ${noticeSeconds})) else expires_at end as expires_at
        from instances) i on i.host = c.name and i.gpu_model = ${gpuModel} and i.terminated_at is null
    ), expected as (
      select c.*, (select min(e.expires_at) from ending e where e.name = c.name and e.free_then >= ${gpus}) as since
      from could c
    ), ranked as (
      select *, row_number() over (partition by region order by since nulls last, free desc, name) as place from expected
    )
    select name, since from ranked where place <= ${count} and region = (
      select region from ranked where place <= ${count} group by region
      order by count(*) desc, case when bool_and(since is not null) then max(since) end nulls last, sum(free) desc, region
      limit 1)`;
}
