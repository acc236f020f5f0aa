// Gives back what an instance held, when its engine confirms that nothing of it is left. recordFact("removed") is the
// only caller. The mirror image of the hold at launch; test/support/audit.ts checks that the two agree.
//
// Lock order, everywhere: instance → host → its gpu_pools and gpus → file_systems → accounts. Here each part of the one
// statement reads from the one before it, so that PostgreSQL takes the locks in that order too, and holds the host's
// row for one round trip.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";

/**
 * Frees CPU, memory, storage, GPUs, file systems and quota of the instance. The caller holds its row lock and has made
 * sure that it is called once in the instance's life.
 *
 * A GPU found broken while it was held does not become free: a pool's `free` counts healthy ones that nobody holds.
 * Where the statement waited for the host's row it was perhaps planned on older GPU rows; PostgreSQL then reads each
 * row it updates again, so `healthy` is that of the moment it is freed.
 */
export async function releaseCapacity(tx: Transaction, instanceId: string): Promise<void> {
  const result = await sql`
    with held as (
      select id, account_id, host, gpus, vcpus, memory_gib, storage_gb from instances where id = ${instanceId}
    ), host as (
      update hosts set
        free_vcpus = free_vcpus + held.vcpus,
        free_memory_gib = free_memory_gib + held.memory_gib,
        free_storage_gb = free_storage_gb + held.storage_gb
      from held where hosts.name = held.host
      returning hosts.name
    ), freed as (
      update gpus set instance_id = null
      from host where gpus.host = host.name and gpus.instance_id = ${instanceId}
      returning gpus.host, gpus.model, gpus.healthy
    ), pools as (
      update gpu_pools set free = free + back.gpus
      from (select host, model, count(*)::integer as gpus from freed where healthy group by host, model) as back
      where gpu_pools.host = back.host and gpu_pools.model = back.model
      returning 1
    ), detached as (
      update file_systems set attached_to = null
      where attached_to = ${instanceId} and (select count(*) from pools) >= 0
      returning 1
    )
    update accounts set
      used_instances = used_instances - 1,
      used_gpus = used_gpus - held.gpus,
      used_vcpus = used_vcpus - held.vcpus
    from held
    where accounts.id = held.account_id
      and (select count(*) from host) = 1
      and (select count(*) from detached) >= 0
  `.execute(tx);
  if (result.numAffectedRows !== 1n) throw new Error(`BUG: instance ${instanceId} holds capacity of no known host`);
}
