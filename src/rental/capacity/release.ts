// Releases what an instance reserved, when its engine confirms that nothing of it is left.
// recordObservations is the only caller, also for instances that end with their host. The counterpart of the
// reservation at launch; test/support/audit.ts checks that both agree.
//
// Locks in the order of database/lock-order.ts, so hosts and accounts are locked by separate statements first.

import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { type Question, question, together } from "../../database/round-trips.ts";

/**
 * Releases CPU, memory, storage, GPUs, file systems and quota of the instances. The caller holds their row locks and
 * calls it once per instance.
 *
 * A GPU that is unhealthy does not become free: a pool's `free` counts healthy unused ones.
 */
export async function releaseCapacity(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  const held = sql`(
    select id, account_id, host, gpus, vcpus, memory_gib, storage_gb from instances
    where id = any(${[...instanceIds]}::uuid[]))`;
  const [, isWhole] = await together(tx, [
    nothing(sql`select from hosts where name in (select host from ${held} held) order by name for update`),
    released(held),
    nothing(sql`select from accounts where id in (select account_id from ${held} held) order by id for no key update`),
    nothing(sql`
      update accounts set used_instances = used_instances - t.instances, used_gpus = used_gpus - t.gpus,
        used_vcpus = used_vcpus - t.vcpus
      from (select account_id, count(*)::integer as instances, sum(gpus)::integer as gpus, sum(vcpus)::integer as vcpus
        from ${held} held group by account_id) t
      where accounts.id = t.account_id`),
  ] as const);
  if (!isWhole) throw new Error(`BUG: of instances ${instanceIds} one holds capacity of no known host`);
}

function nothing(statement: RawBuilder<unknown>): Question<undefined> {
  return question(statement, () => undefined);
}

/** Whether every host existed. */
function released(held: RawBuilder<unknown>): Question<boolean> {
  const query = sql<{ whole: boolean }>`
    with held as ${held}, host as (
      update hosts set free_vcpus = free_vcpus + t.vcpus, free_memory_gib = free_memory_gib + t.memory_gib,
        free_storage_gb = free_storage_gb + t.storage_gb
      from (select host, sum(vcpus)::integer as vcpus, sum(memory_gib)::integer as memory_gib,
          sum(storage_gb)::integer as storage_gb from held group by host) t
      where hosts.name = t.host
      returning hosts.name
    ), freed as (
      update gpus set instance_id = null from held where gpus.host = held.host and gpus.instance_id = held.id
      returning gpus.host, gpus.model, gpus.healthy
    ), pools as (
      update gpu_pools set free = free + back.gpus
      from (select host, model, count(*)::integer as gpus from freed where healthy group by host, model) as back
      where gpu_pools.host = back.host and gpu_pools.model = back.model
    ), detached as (
      update file_systems f
      set attached_to = array(select one from unnest(f.attached_to) one where one not in (select id from held)), measured_at = null
      where f.attached_to && array(select id from held)
    )
    select (select count(*) from host) = (select count(distinct host) from held) as whole`;
  return question(query, ([row]) => row?.whole === true);
}
