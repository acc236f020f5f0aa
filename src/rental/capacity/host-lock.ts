// The SQL of placement: finds and locks one host at a time, or several known ones, and reserves capacity on locked
// hosts. The WHERE of the search only proposes; what a host really has left is read after it is locked, in a separate
// statement (a joined row that is not locked would be as old as the search), and checked by requirements.ts.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { ask, type Question, question } from "../../database/round-trips.ts";
import { isOffered } from "../gpus/gpu-sql.ts";
import { acceptsInstances } from "../hosts/accepting.ts";
import { hasLabels } from "../hosts/labels.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Assignment } from "./assign.ts";
import type { FreeGpu } from "./choose-gpus.ts";
import { fitsOf, type Partition } from "./gpu-partitions.ts";
import type { HostBound } from "./host-order.ts";
import { type Earmark, earmarkOf, type Line } from "./line.ts";
import { type PromisedRoom, type PromisedRow, promisedFrom, promisedOn } from "./promised.ts";
import type { GpuPool } from "./requirements.ts";

/** A host whose row lock this transaction holds, and its free capacity. */
export interface LockedHost extends PromisedRoom {
  readonly name: string;
  readonly engine: string;
  readonly region: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** The driver branch of its fabric manager. Undefined: none, or not known. */
  readonly driverBranch?: string | undefined;
  readonly freeGpus: readonly (FreeGpu & { readonly model: string })[];
  readonly earmark?: Earmark | undefined;
  /** By GPU model, the partitions of its NVSwitch boards; models without any are left out. */
  readonly partitions: Partitions;
}

/** Hosts, and the lines that were read under their locks. */
export interface LockedHosts {
  readonly hosts: readonly LockedHost[];
  readonly lines: readonly Line[];
}

export type Partitions = ReadonlyMap<string, readonly Partition[]>;

export interface Search {
  readonly region: string;
  readonly bound: HostBound | undefined;
  /** The last host. */
  readonly after: string | undefined;
}

/**
 * Locks the next host by name that might have capacity for the type, waiting for its lock; undefined if there is none.
 * Never goes back to an earlier host, even if it has capacity again: locks are always taken in one order.
 */
export async function lockNextHost(
  tx: Transaction,
  product: InstanceType,
  search: Search,
): Promise<LockedHost | undefined> {
  const { rows } = await sql<{ name: string }>`
    select h.name from hosts h
    where ${mayFit(product)}
      and h.region = ${search.region} and ${within(search.bound)}
      and h.name > ${search.after ?? ""}
    order by h.name limit 1 for update of h`.execute(tx);
  const name = rows[0]?.name;
  if (name === undefined) return undefined;
  const [host] = await ask(tx, hostsAsTheyAre([name]));
  if (host === undefined) throw new Error(`BUG: host ${name} is gone while its row is locked`);
  return host;
}

/**
 * Locks those of the hosts that are not locked by others, without waiting, and returns their names; unschedulable hosts
 * are left out. A separate statement, `hostsAsTheyAre`, reads their free capacity.
 */
export function lockedOf(names: readonly string[]): Question<Set<string>> {
  const query = sql<{ name: string }>`
    select name from hosts where name = any(${[...names]}::text[]) and ${acceptsInstances(sql`state`)}
    order by name for update skip locked`;
  return question(query, (rows) => new Set(rows.map(({ name }) => name)));
}

/** Places for instances of one type on a locked host. */
export interface Taking {
  readonly host: string;
  readonly product: InstanceType;
  readonly places: readonly Assignment[];
}

/** Takes the places, in one statement. The database rejects missing capacity. Throws "BUG: …" if a GPU was not free. */
export function takenPlaces(takings: readonly Taking[]): Question<void> {
  const times = takings.map(({ places }) => places.length);
  const gpus = takings.flatMap(({ host, places }) =>
    places.flatMap(({ instanceId, gpuAddresses }) => gpuAddresses.map((address) => ({ host, address, instanceId }))),
  );
  const query = sql<{ taken: number }>`
    with taken as materialized (
      select * from unnest(${takings.map(({ host }) => host)}::text[], ${times}::integer[],
        ${takings.map(({ product }) => product.vcpus)}::integer[],
        ${takings.map(({ product }) => product.memoryGib)}::integer[],
        ${takings.map(({ product }) => product.storageGb)}::integer[],
        ${takings.map(({ product }) => product.gpuModel)}::text[],
        ${takings.map(({ product }) => product.gpus)}::integer[]
      ) as taken (host, times, vcpus, memory_gib, storage_gb, model, gpus)
    ), host as (
      update hosts set free_vcpus = free_vcpus - t.vcpus, free_memory_gib = free_memory_gib - t.memory_gib,
        free_storage_gb = free_storage_gb - t.storage_gb
      from (select host, sum(times * vcpus)::integer as vcpus, sum(times * memory_gib)::integer as memory_gib,
          sum(times * storage_gb)::integer as storage_gb from taken group by host) t
      where hosts.name = t.host
    ), pool as (
      update gpu_pools set free = free - t.gpus
      from (select host, model, sum(times * gpus)::integer as gpus from taken where gpus > 0 group by host, model) t
      where gpu_pools.host = t.host and gpu_pools.model = t.model
    ), gpu as (
      update gpus set instance_id = t.holder
      from unnest(${gpus.map(({ host }) => host)}::text[], ${gpus.map(({ address }) => address)}::text[],
        ${gpus.map(({ instanceId }) => instanceId)}::uuid[]) as t (host, address, holder)
      where gpus.host = t.host and gpus.address = t.address and ${isOffered(sql`gpus.state`)} and gpus.healthy
      returning 1
    )
    select count(*)::integer as taken from gpu`;
  return question(query, ([row]) => {
    if (row?.taken !== gpus.length) throw new Error("BUG: a GPU chosen under its host's lock was not free");
  });
}

/** The names of the regions where one instance of the type currently fits. One index lookup per region, no scan. */
export async function regionsThatFit(db: Database, product: InstanceType, bound?: HostBound): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select r.name from regions r
    where exists (select from hosts h where h.region = r.name and ${mayFit(product)} and ${within(bound)})
    order by r.name`.execute(db);
  return rows.map((row) => row.name);
}

/** Whether so many GPUs fit in a pool `p`. */
export function gpusFit(gpus: number): RawBuilder<boolean> {
  return sql<boolean>`(p.free >= ${gpus} and (p.fits is null or coalesce((p.fits ->> ${String(gpus)}::text)::integer, 0) > 0))`;
}

/** The condition on `hosts h` of a binding. */
export function within(bound: HostBound | undefined): RawBuilder<boolean> {
  const place = sql<boolean>`(${bound?.engine ?? null}::text is null or h.engine = ${bound?.engine ?? null})
      and (${bound?.host ?? null}::text is null or h.name = ${bound?.host ?? null})
      and (${bound?.except ?? null}::text is null or h.name <> ${bound?.except ?? null})`;
  const among =
    bound?.among === undefined ? sql<boolean>`true` : sql<boolean>`h.name = any(${[...bound.among]}::text[])`;
  const labelled = bound?.labels === undefined ? sql<boolean>`true` : hasLabels(sql`h.labels`, bound.labels);
  const { driverBranch: branch } = bound ?? {};
  const isDriven =
    branch === undefined
      ? sql<boolean>`true`
      : sql<boolean>`not exists (select from gpu_fabrics f where f.host = h.name and f.branch <> ${branch})`;
  return sql<boolean>`${place} and ${among} and ${labelled} and ${isDriven}`;
}

/** The condition on `hosts h` that one instance of the type fits: requirements.ts in SQL. */
export function mayFit(product: InstanceType): RawBuilder<boolean> {
  return sql<boolean>`(${acceptsInstances(sql`h.state`)}
    and h.free_vcpus >= ${product.vcpus} and h.free_memory_gib >= ${product.memoryGib}
    and h.free_storage_gb >= ${product.storageGb}
    and (${product.gpuModel}::text is null or exists (
      select from gpu_pools p where p.host = h.name and p.model = ${product.gpuModel} and ${gpusFit(product.gpus)})))`;
}

/** The free capacity of the hosts; reliable only for locked ones. */
export function hostsAsTheyAre(names: readonly string[]): Question<LockedHost[]> {
  const query = sql<LockedRow>`
    select h.name, h.engine, h.region, h.labels, h.free_vcpus, h.free_memory_gib, h.free_storage_gb,
      h.earmark_position, h.earmark_from, ${promisedOn} as promised,
      (select f.branch from gpu_fabrics f where f.host = h.name) as branch,
      coalesce((select jsonb_agg(jsonb_build_object('address', g.address, 'model', g.model, 'numa_node', g.numa_node))
        from gpus g where g.host = h.name and ${isOffered(sql`g.state`)} and g.healthy), '[]') as gpus,
      (select jsonb_object_agg(p.model, p.total) from gpu_pools p where p.host = h.name) as totals,
      (select jsonb_object_agg(model, sets) from (
        select g.model, jsonb_agg(p.addresses order by p.addresses) as sets
        from gpu_partitions p join gpus g on g.host = p.host and g.address = p.addresses[1]
        where p.host = h.name group by g.model) models) as partitions
    from hosts h where h.name = any(${[...names]}::text[])`;
  return question(query, (rows) => rows.map(fromRow));
}

interface LockedRow {
  name: string;
  engine: string;
  region: string;
  labels: Record<string, string>;
  branch: string | null;
  earmark_position: number | null;
  earmark_from: Date | null;
  promised: PromisedRow[] | null;
  free_vcpus: number;
  free_memory_gib: number;
  free_storage_gb: number;
  gpus: { address: string; model: string; numa_node: number }[];
  totals: Record<string, number> | null;
  partitions: Record<string, string[][]> | null;
}

function fromRow(row: LockedRow): LockedHost {
  const freeGpus = row.gpus.map((gpu) => ({ address: gpu.address, model: gpu.model, numaNode: gpu.numa_node }));
  const partitions = new Map(Object.entries(row.partitions ?? {}));
  return {
    name: row.name,
    engine: row.engine,
    region: row.region,
    labels: row.labels,
    driverBranch: row.branch ?? undefined,
    earmark: earmarkOf(row.earmark_position, row.earmark_from),
    promised: promisedFrom(row.promised),
    freeVcpus: row.free_vcpus,
    freeMemoryGib: row.free_memory_gib,
    freeStorageGb: row.free_storage_gb,
    gpus: poolsOf(freeGpus, row.totals ?? {}, partitions),
    freeGpus,
    partitions,
  };
}

/** The pools of a host with these free GPUs. `totals` by model. `partitions`: default none. */
export function poolsOf(
  freeGpus: LockedHost["freeGpus"],
  totals: Readonly<Record<string, number>>,
  partitions: Partitions = new Map(),
): Map<string, GpuPool> {
  const free = Map.groupBy(freeGpus, ({ model }) => model);
  return new Map(
    Object.entries(totals).map(([model, total]) => {
      const gpus = free.get(model) ?? [];
      const nodes = Map.groupBy(gpus, ({ numaNode }) => numaNode);
      const sets = partitions.get(model);
      const fits = sets && fitsOf(sets, new Set(gpus.map(({ address }) => address)));
      return [model, { total, free: gpus.length, freeByNode: [...nodes.values()].map(({ length }) => length), fits }];
    }),
  );
}
