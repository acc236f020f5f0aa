// An operator moved a machine at the engine itself, on a cluster that moves by itself: the instance follows it. Used by the
// reconciler, which found the machine on another host.
//
// Invariant: what the machine uses is counted, even if it is more than its host has; such a host becomes unschedulable with
// the next host sync, as one that shrank (host-store.ts). Locks in the order of database/lock-order.ts.

import { type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { lostMode } from "../../rules/host-lifecycle.ts";
import { releaseOnHost } from "../capacity/release.ts";
import type { Fence } from "../instances/record-observation.ts";
import { isHeld } from "./held.ts";
import { holdsBoth } from "./move-sql.ts";
import { changeHost } from "./record-move.ts";

/**
 * The instance is on this host from now on. A sentence if it is not, for the log; then nothing was changed.
 */
export async function followMove(tx: Transaction, fence: Fence, host: string): Promise<string | undefined> {
  const { id, generation, leaseOwner } = fence;
  const { rows } = await sql<Selectable<InstancesTable>>`
    select * from instances
    where id = ${id} and generation = ${generation} and lease_owner = ${leaseOwner ?? null}
      and not exists (select from moves m where m.instance_id = instances.id and (${holdsBoth} or ${isHeld}))
    for update`.execute(tx);
  const [instance] = rows;
  if (instance === undefined) return "It changed meanwhile.";
  // Which GPUs it has there, the engine does not say.
  if (instance.gpus > 0) return "It has GPUs. Move it back, and move it with Lessor.";
  const { rows: hosts } = await sql<{ name: string; engine: string; region: string; mode: string }>`
    select name, engine, region, mode from hosts where name = any(${[instance.host, host]}::text[])
    order by name for update`.execute(tx);
  const target = hosts.find(({ name }) => name === host);
  if (target === undefined || target.engine !== instance.engine) return "The host is not known yet.";
  if (target.mode === lostMode) return "The host is declared lost.";
  if (target.region !== instance.region) return "The host is in another region. Move it back.";
  await releaseOnHost(tx, id);
  const { vcpus, memory_gib: memory, storage_gb: storage } = instance;
  await sql`
    update hosts set
      vcpus = greatest(vcpus, vcpus - free_vcpus + ${vcpus}::integer),
      memory_gib = greatest(memory_gib, memory_gib - free_memory_gib + ${memory}::integer),
      storage_gb = greatest(storage_gb, storage_gb - free_storage_gb + ${storage}::integer),
      free_vcpus = greatest(free_vcpus - ${vcpus}::integer, 0),
      free_memory_gib = greatest(free_memory_gib - ${memory}::integer, 0),
      free_storage_gb = greatest(free_storage_gb - ${storage}::integer, 0)
    where name = ${host}`.execute(tx);
  // The record of a move that failed is of another host.
  await sql`delete from moves where instance_id = ${id}`.execute(tx);
  await changeHost(tx, id, host);
  return undefined;
}
