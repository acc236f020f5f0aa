// The SQL of placement: finds and locks one host at a time, and takes from a locked host.
// The WHERE of the search only proposes; what a host really has left is read after its lock is held, in a statement of
// its own (a joined row that is not locked itself would be as old as the search), and need.ts judges it.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { Product } from "../instances/instance.ts";
import type { FreeGpu } from "./choose-gpus.ts";
import type { Room } from "./need.ts";
import type { Place } from "./placement.ts";

/** A host whose row lock this transaction holds, and what it has left. */
export interface LockedHost {
  readonly name: string;
  readonly engine: string;
  readonly region: string;
  readonly room: Room;
  readonly freeGpus: readonly (FreeGpu & { readonly model: string })[];
}

export interface Search {
  readonly region: string | undefined;
  /** Only on this engine, and on this host where there is one. */
  readonly bound?: { readonly engine: string; readonly host: string | undefined } | undefined;
  readonly triedRegions?: readonly string[];
  /** Hosts this search has had already. */
  readonly seen?: readonly string[];
  /** `skip`: the best host that nobody has locked. `wait`: the next host by name, waiting for its lock. */
  readonly lock: "skip" | "wait";
}

/** Locks the next host that may have room for the product, or undefined where there is none. */
export async function lockNextHost(tx: Transaction, product: Product, search: Search): Promise<LockedHost | undefined> {
  const { rows } = await sql<{ name: string }>`
    select h.name from hosts h
    where ${mayFit(product)}
      and (${search.region ?? null}::text is null or h.region = ${search.region ?? null})
      and (${search.bound?.engine ?? null}::text is null or h.engine = ${search.bound?.engine ?? null})
      and (${search.bound?.host ?? null}::text is null or h.name = ${search.bound?.host ?? null})
      and h.region <> all(${search.triedRegions ?? []}::text[])
      and h.name <> all(${search.seen ?? []}::text[])
    order by ${search.lock === "skip" ? bestFirst(product) : sql`h.name`}
    limit 1
    for update of h ${search.lock === "skip" ? sql`skip locked` : sql``}`.execute(tx);
  const name = rows[0]?.name;
  return name === undefined ? undefined : readLocked(tx, name);
}

/** Takes the places from the host. The database refuses what is not there. Throws "BUG: …" if a GPU was not free. */
export async function takeFromHost(
  tx: Transaction,
  host: LockedHost,
  product: Product,
  places: readonly Place[],
): Promise<void> {
  const n = places.length;
  const addresses = places.flatMap((place) => place.gpuAddresses);
  const holders = places.flatMap((place) => place.gpuAddresses.map(() => place.instanceId));
  const { rows } = await sql<{ taken: number }>`
    with host as (
      update hosts set free_vcpus = free_vcpus - ${n * product.vcpus}::integer,
        free_memory_gib = free_memory_gib - ${n * product.memoryGib}::integer,
        free_storage_gb = free_storage_gb - ${n * product.storageGb}::integer
      where name = ${host.name}
    ), pool as (
      update gpu_pools set free = free - ${addresses.length}::integer
      where host = ${host.name} and model = ${product.gpuModel} and ${addresses.length}::integer > 0
    ), gpu as (
      update gpus set instance_id = taken.holder
      from unnest(${addresses}::text[], ${holders}::uuid[]) as taken (address, holder)
      where gpus.host = ${host.name} and gpus.address = taken.address and gpus.instance_id is null and gpus.healthy
      returning 1
    )
    select count(*)::integer as taken from gpu`.execute(tx);
  if (rows[0]?.taken !== addresses.length)
    throw new Error(`BUG: a GPU of ${host.name} chosen under its lock was not free`);
}

/** The names of the regions where one instance of the product fits now. One index look-up a region, not a scan. */
export async function regionsThatFit(db: Database, product: Product): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select r.name from regions r
    where exists (select from hosts h where h.region = r.name and ${mayFit(product)})
    order by r.name`.execute(db);
  return rows.map((row) => row.name);
}

/** The condition on `hosts h` that one instance of the product fits: need.ts, said in SQL. */
export function mayFit(product: Product): RawBuilder<boolean> {
  return sql<boolean>`(h.available and not h.cordoned
    and h.free_vcpus >= ${product.vcpus} and h.free_memory_gib >= ${product.memoryGib}
    and h.free_storage_gb >= ${product.storageGb}
    and (${product.gpuModel}::text is null or exists (
      select from gpu_pools p where p.host = h.name and p.model = ${product.gpuModel} and p.free >= ${product.gpus})))`;
}

/**
 * The host that is left least fragmented: for GPUs the one with the fewest free of this model, so that whole hosts stay
 * whole; without GPUs the one with the fewest GPUs free, so that CPU work does not strand GPUs. Then the fullest.
 */
function bestFirst(product: Product): RawBuilder<unknown> {
  return sql`coalesce((select sum(p.free) from gpu_pools p where p.host = h.name
      and (${product.gpuModel}::text is null or p.model = ${product.gpuModel})), 0), h.free_vcpus, h.name`;
}

async function readLocked(tx: Transaction, name: string): Promise<LockedHost> {
  const { rows } = await sql<{
    engine: string;
    region: string;
    free_vcpus: number;
    free_memory_gib: number;
    free_storage_gb: number;
    gpus: { address: string; model: string; numa_node: number }[];
  }>`
    select h.engine, h.region, h.free_vcpus, h.free_memory_gib, h.free_storage_gb,
      coalesce((select jsonb_agg(jsonb_build_object('address', g.address, 'model', g.model, 'numa_node', g.numa_node))
        from gpus g where g.host = h.name and g.instance_id is null and g.healthy), '[]') as gpus
    from hosts h where h.name = ${name}`.execute(tx);
  const row = rows[0];
  if (row === undefined) throw new Error(`BUG: host ${name} is gone while its row is locked`);
  const freeGpus = row.gpus.map((gpu) => ({ address: gpu.address, model: gpu.model, numaNode: gpu.numa_node }));
  return {
    name,
    engine: row.engine,
    region: row.region,
    room: {
      freeVcpus: row.free_vcpus,
      freeMemoryGib: row.free_memory_gib,
      freeStorageGb: row.free_storage_gb,
      freeGpus: countByModel(freeGpus),
    },
    freeGpus,
  };
}

function countByModel(gpus: readonly { model: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { model } of gpus) counts.set(model, (counts.get(model) ?? 0) + 1);
  return counts;
}
