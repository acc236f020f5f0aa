// Releases what an instance reserved, when its engine confirms that nothing of it is left: all of it (used by
// recordObservations, also for instances that end with their host), or what it has on one of the two hosts of a move
// (moving/). The counterpart of the reservations at launch and move; test/support/audit.ts checks that they agree.
//
// Locks in the order of database/lock-order.ts, so hosts and accounts are locked by separate statements first.

import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { type Question, question, together } from "../../database/round-trips.ts";
import { type GpuOfEvent, gpuOfEvent, recordGpuEvents } from "../gpus/gpu-events.ts";
import { isOffered, returnsByItself } from "../gpus/gpu-sql.ts";
import { type Work, workChannel } from "../instances/wake.ts";
import { holdsBoth, secondHost } from "../moving/move-sql.ts";

/**
 * Releases CPU, memory, storage, GPUs, file systems and quota of the instances. `movesOver`: those of them of which nothing
 * is left on either host of a move, which is over with them. The caller holds their row locks and calls it once per
 * instance.
 *
 * What becomes of a GPU its policy decides (rules/gpu-lifecycle.ts). One that is unhealthy does not become free: a pool's
 * `free` counts healthy ones that are offered.
 */
export async function releaseCapacity(
  tx: Transaction,
  instanceIds: readonly string[],
  movesOver: readonly string[] = [],
): Promise<void> {
  if (instanceIds.length === 0) return;
  const held = heldBy(instanceIds);
  const onHosts = movesOver.length === 0 ? held : sql`(select * from ${held} one union all ${secondCopies(movesOver)})`;
  const [, { isWhole, quarantined }] = await together(tx, [
    lockedHosts(onHosts),
    released(
      onHosts,
      sql`, detached as (
      update file_systems f
      set attached_to = array(select one from unnest(f.attached_to) one where one not in (select id from held)), measured_at = null
      where f.attached_to && array(select id from held)
    ), over as (
      delete from moves where instance_id = any(${[...movesOver]}::uuid[])
    )`,
    ),
    nothing(sql`select from accounts where id in (select account_id from ${held} held) order by id for no key update`),
    nothing(sql`
      update accounts set used_instances = used_instances - t.instances, used_gpus = used_gpus - t.gpus,
        used_vcpus = used_vcpus - t.vcpus
      from (select account_id, count(*)::integer as instances, sum(gpus)::integer as gpus, sum(vcpus)::integer as vcpus
        from ${held} held group by account_id) t
      where accounts.id = t.account_id`),
  ] as const);
  if (!isWhole) throw new Error(`BUG: of instances ${instanceIds} one holds capacity of no known host`);
  await recordGpuEvents(tx, "quarantined", quarantined);
}

/**
 * Releases what the instances hold on the other host of their moves. The caller holds their row locks, and then changes or
 * deletes the rows of the moves, which no longer hold it.
 */
export async function releaseSecondCopies(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  await releaseHeld(tx, sql`(${secondCopies(instanceIds)})`);
}

/** Releases what the instance holds on its host, but not what its account uses. The caller holds its row lock. */
export async function releaseOnHost(tx: Transaction, instanceId: string): Promise<void> {
  await releaseHeld(tx, heldBy([instanceId]));
}

async function releaseHeld(tx: Transaction, held: RawBuilder<unknown>): Promise<void> {
  const [, { isWhole, quarantined }] = await together(tx, [lockedHosts(held), released(held)] as const);
  if (!isWhole) throw new Error("BUG: an instance holds capacity of no known host");
  await recordGpuEvents(tx, "quarantined", quarantined);
}

/** What the instances hold on their hosts. */
function heldBy(instanceIds: readonly string[]): RawBuilder<unknown> {
  return sql`(
    select id, account_id, host, gpus, vcpus, memory_gib, storage_gb from instances
    where id = any(${[...instanceIds]}::uuid[]))`;
}

/** What the instances hold on the other host of their moves. */
function secondCopies(instanceIds: readonly string[]): RawBuilder<unknown> {
  return sql`
    select i.id, i.account_id, ${secondHost} as host, i.gpus, i.vcpus, i.memory_gib, i.storage_gb
    from moves m join instances i on i.id = m.instance_id
    where m.instance_id = any(${[...instanceIds]}::uuid[]) and ${holdsBoth}`;
}

function lockedHosts(held: RawBuilder<unknown>): Question<undefined> {
  return nothing(sql`select from hosts where name in (select host from ${held} held) order by name for update`);
}

function nothing(statement: RawBuilder<unknown>): Question<undefined> {
  return question(statement, () => undefined);
}

interface Released {
  /** Whether every host existed. */
  readonly isWhole: boolean;
  /** GPUs that were to be quarantined when their instance is gone. */
  readonly quarantined: readonly GpuOfEvent[];
}

/** `besides`: what else ends with them. */
function released(held: RawBuilder<unknown>, besides: RawBuilder<unknown> = sql``): Question<Released> {
  const query = sql<{ whole: boolean; quarantined: GpuOfEvent[] }>`
    with held as ${held}, host as (
      update hosts set free_vcpus = free_vcpus + t.vcpus, free_memory_gib = free_memory_gib + t.memory_gib,
        free_storage_gb = free_storage_gb + t.storage_gb
      from (select host, sum(vcpus)::integer as vcpus, sum(memory_gib)::integer as memory_gib,
          sum(storage_gb)::integer as storage_gb from held group by host) t
      where hosts.name = t.host
      returning hosts.name
    ), freed as (
      update gpus set instance_id = null from held where gpus.host = held.host and gpus.instance_id = held.id
      returning gpus.*
    ), pools as (
      update gpu_pools set free = free + back.gpus
      from (select host, model, count(*)::integer as gpus from freed where healthy and ${isOffered(sql`state`)} group by host, model) as back
      where gpu_pools.host = back.host and gpu_pools.model = back.model
    )${besides}
    select (select count(*) from host) = (select count(distinct host) from held) as whole,
      (select coalesce(jsonb_agg(${gpuOfEvent}), '[]') from freed where reason is not null) as quarantined,
      (select count(pg_notify(${workChannel}, ${"gpus" satisfies Work})) from (
        select from freed where ${returnsByItself(sql`state`)} limit 1) one) as told`;
  return question(query, ([row]) => ({ isWhole: row?.whole === true, quarantined: row?.quarantined ?? [] }));
}
