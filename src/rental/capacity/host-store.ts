// Brings what a host has into hosts, gpus and gpu_pools, and keeps what is held on it consistent. Used by the reconciler's
// inventory (sync-hosts.ts) and by the control API's PUT and DELETE of a host.
//
// Invariant, checked by test/support/audit.ts: free = total - held for CPU, memory and storage; gpu_pools.total counts
// the GPUs of a model, gpu_pools.free the healthy ones of them that nobody holds. Everything here happens under the
// host's row lock, and each statement after the first reads what was committed before that lock was had.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { type GpuList, gpuListsOf, gpusByHost } from "../../database/gpu-lists.ts";
import { finalState } from "../../rules/lifecycle.ts";
import { RentalError } from "../errors.ts";
import { type HostFacts, type HostOverrides, type HostReading, readingOf, withOverrides } from "./overrides.ts";

/** A host as it is to be stored: what it counts as, and what that was made of. */
export interface HostRecord extends HostFacts {
  readonly reported: HostReading;
  readonly overrides: HostOverrides | null;
}

/** A host as it is stored. */
export interface StoredHost extends HostFacts {
  /** What its engine said last; null where it has not been asked since the host was made. */
  readonly reported: HostReading | null;
  readonly overrides: HostOverrides | null;
}

/** What could not be made as the facts say, because instances hold it; for the log. */
export interface HostShortfall {
  /** It has less than is held: the totals stay at what is held, and it takes nothing new until that fits again. */
  readonly overcommitted: boolean;
  /** GPUs that are gone and still held: kept as broken ones until they are given back. */
  readonly lostGpus: readonly string[];
}

/** The record of a host that its engine reports so. */
export function recordOf(reported: HostFacts, overrides: HostOverrides | null): HostRecord {
  return { ...withOverrides(reported, overrides), reported: readingOf(reported), overrides };
}

/**
 * Makes the host, or makes it what its engine says, counted by the overrides. Its region exists. Leaves `cordoned` as it
 * is. Throws RentalError conflict when another engine has a host of this name.
 */
export async function upsertHost(
  tx: Transaction,
  reported: HostFacts,
  overrides: HostOverrides | null = null,
): Promise<HostShortfall> {
  const host = recordOf(reported, overrides);
  const shortfall = (await upsertHosts(tx, [host])).get(host.name);
  if (shortfall === undefined) throw new Error(`BUG: host ${host.name} was stored and not told of`);
  return shortfall;
}

/**
 * As `upsertHost`, for many in six statements: an inventory of 10,000 hosts is minutes one by one. Gives the shortfall
 * of each by name. Locks them in order of name, as everybody who waits for several.
 */
export async function upsertHosts(tx: Transaction, hosts: readonly HostRecord[]): Promise<Map<string, HostShortfall>> {
  const overcommitted = await upsertTotals(tx, hosts);
  await upsertGpus(tx, hosts);
  const lost = await dropGpus(tx, hosts);
  await recountPools(
    tx,
    hosts.map((host) => host.name),
  );
  return new Map(
    hosts.map(({ name }) => [name, { overcommitted: overcommitted.has(name), lostGpus: lost.get(name) ?? [] }]),
  );
}

/** Locks those of the hosts that are still there, in order of name; their overrides by name. */
export async function lockHosts(tx: Transaction, names: readonly string[]): Promise<Map<string, HostOverrides | null>> {
  const { rows } = await sql<{ name: string; overrides: HostOverrides | null }>`
    select name, overrides from hosts where name = any(${names}::text[]) order by name for update`.execute(tx);
  return new Map(rows.map((row) => [row.name, row.overrides]));
}

/** Removes the host. Throws RentalError unknown-object, and conflict while it holds instances. */
export async function removeHost(tx: Transaction, name: string): Promise<void> {
  const { rows } = await sql`select 1 from hosts where name = ${name} for update`.execute(tx);
  if (rows.length === 0) throw new RentalError("unknown-object", { what: "host", ids: [name] });
  // Whoever takes capacity does so under the lock we now hold, so this count is the last word.
  const held = await sql<{ instances: number }>`
    select count(*)::integer as instances from instances where host = ${name} and state <> ${sql.lit(finalState)}`.execute(
    tx,
  );
  const instances = held.rows[0]?.instances ?? 0;
  if (instances > 0) {
    throw new RentalError("conflict", {
      message: `Host ${name} holds ${instances} instance${instances === 1 ? "" : "s"}.`,
      suggestion: "Cordon it, and delete it when its instances are terminated.",
    });
  }
  await sql`delete from hosts where name = ${name}`.execute(tx);
}

/** So many rows of a kilobyte are read at once. */
const PAGE = 2000;

/**
 * Every host of the engine as it is stored, with its GPUs in order of address; for comparing with the engine's. Not of
 * one moment. What is the same for several (their GPUs, what was reported) is one object for all of them.
 */
export async function storedHosts(db: Database, engine: string, pageLength = PAGE): Promise<StoredHost[]> {
  const { rows } = await sql<{ lists: GpuList[] }>`
    select ${gpuListsOf(sql`
      select * from gpus where host in (select name from hosts where engine = ${engine})`)} as lists`.execute(db);
  const gpus = gpusByHost(rows[0]?.lists ?? []);
  const hosts: (Omit<StoredHost, "reported"> & { readonly mark: string | null })[] = [];
  const readings = new Map<string, HostReading>();
  for (let after = ""; ; ) {
    const { rows: page } = await sql<Omit<StoredHost, "gpus"> & { mark: string | null }>`
      select ${columns}, mark, case when row_number() over (partition by mark) = 1 then h.reported end as reported
      from (
        select h.*, ${markOfReading} as mark from hosts h
        where h.engine = ${engine} and h.name > ${after} order by h.name limit ${pageLength}
      ) h order by h.name`.execute(db);
    for (const { reported, ...host } of page) {
      hosts.push({ ...host, gpus: gpus.get(host.name) ?? [] });
      if (reported !== null && host.mark !== null) readings.set(host.mark, reported);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageLength) break;
    after = last.name;
  }
  return hosts.map(({ mark, ...host }) => ({ ...host, reported: (mark !== null && readings.get(mark)) || null }));
}

/**
 * Tells readings apart. They are a kilobyte each, and few of them are different: read host by host, they were more than
 * everything else that a sweep reads. So each comes once in a page.
 */
const markOfReading = sql`encode(sha256(convert_to(h.reported::text, 'UTF8')), 'base64')`;

/** The host as it is stored. Throws RentalError unknown-object. */
export async function storedHost(db: Database, name: string): Promise<StoredHost> {
  const { rows } = await sql<StoredHost>`
    select ${columns}, h.reported, coalesce((
      select jsonb_agg(jsonb_build_object('address', address, 'model', model, 'memoryGib', memory_gib,
        'numaNode', numa_node, 'healthy', healthy) order by address) from gpus where host = h.name), '[]') as gpus
    from hosts h where h.name = ${name}`.execute(db);
  const [host] = rows;
  if (host === undefined) throw new RentalError("unknown-object", { what: "host", ids: [name] });
  return host;
}

const columns = sql`h.engine, h.name, h.region, h.vcpus, h.memory_gib as "memoryGib", h.storage_gb as "storageGb",
  h.available, h.shared_storage as "sharedStorage", h.multi_attach as "multiAttach", h.overrides`;

/** What is held is `total - free` of the stored row. The names of the hosts that have less than that. */
async function upsertTotals(tx: Transaction, hosts: readonly HostRecord[]): Promise<Set<string>> {
  const { rows } = await sql<{ name: string; vcpus: number; memory_gib: number; storage_gb: number }>`
    insert into hosts as h (name, engine, region, vcpus, memory_gib, storage_gb,
      free_vcpus, free_memory_gib, free_storage_gb, available, shared_storage, multi_attach, reported, overrides)
    select name, engine, region, vcpus, "memoryGib", "storageGb", vcpus, "memoryGib", "storageGb", available,
      "sharedStorage", coalesce("multiAttach", false), reported, nullif(overrides, 'null')
    from jsonb_to_recordset(${JSON.stringify(hosts)}::jsonb) as fact (name text, engine text, region text,
      vcpus integer, "memoryGib" integer, "storageGb" integer, available boolean, "sharedStorage" boolean,
      "multiAttach" boolean, reported jsonb, overrides jsonb)
    order by name
    on conflict (name) do update set
      region = excluded.region,
      vcpus = greatest(excluded.vcpus, h.vcpus - h.free_vcpus),
      memory_gib = greatest(excluded.memory_gib, h.memory_gib - h.free_memory_gib),
      storage_gb = greatest(excluded.storage_gb, h.storage_gb - h.free_storage_gb),
      free_vcpus = greatest(excluded.vcpus - (h.vcpus - h.free_vcpus), 0),
      free_memory_gib = greatest(excluded.memory_gib - (h.memory_gib - h.free_memory_gib), 0),
      free_storage_gb = greatest(excluded.storage_gb - (h.storage_gb - h.free_storage_gb), 0),
      available = excluded.available
        and excluded.vcpus >= h.vcpus - h.free_vcpus
        and excluded.memory_gib >= h.memory_gib - h.free_memory_gib
        and excluded.storage_gb >= h.storage_gb - h.free_storage_gb,
      shared_storage = excluded.shared_storage,
      multi_attach = excluded.multi_attach,
      reported = excluded.reported,
      overrides = excluded.overrides
    where h.engine = excluded.engine
    returning name, vcpus, memory_gib, storage_gb`.execute(tx);
  const stored = new Map(rows.map((row) => [row.name, row]));
  const overcommitted = new Set<string>();
  for (const host of hosts) {
    const row = stored.get(host.name);
    if (row === undefined) throw otherEngines(host);
    const holdsMore = row.vcpus > host.vcpus || row.memory_gib > host.memoryGib || row.storage_gb > host.storageGb;
    if (holdsMore) overcommitted.add(host.name);
  }
  // A host that is there again was not removed: cache.ts reads removals by transaction id, which does not follow the
  // order of commits.
  await sql`delete from removed_hosts where name = any(${[...stored.keys()]}::text[])`.execute(tx);
  return overcommitted;
}

function otherEngines(host: HostFacts): RentalError {
  return new RentalError("conflict", {
    message: `Another engine than ${host.engine} has a host named ${host.name}.`,
    suggestion: "Give one of the two hosts another name.",
  });
}

async function upsertGpus(tx: Transaction, hosts: readonly HostFacts[]): Promise<void> {
  await sql`
    insert into gpus (host, address, model, memory_gib, numa_node, healthy)
    select host, address, model, "memoryGib", "numaNode", healthy
    from jsonb_to_recordset(${JSON.stringify(hosts.flatMap(gpusOf))}::jsonb) as fact (host text, address text,
      model text, "memoryGib" integer, "numaNode" integer, healthy boolean)
    on conflict (host, address) do update set
      model = excluded.model, memory_gib = excluded.memory_gib, numa_node = excluded.numa_node, healthy = excluded.healthy
    where (gpus.model, gpus.memory_gib, gpus.numa_node, gpus.healthy)
      is distinct from (excluded.model, excluded.memory_gib, excluded.numa_node, excluded.healthy)`.execute(tx);
}

/**
 * Removes GPUs the hosts no longer have; those that must stay because they are held become broken, and are told.
 * `not in`, because PostgreSQL hashes it; it would go through the GPUs of 200 hosts pair by pair to join them.
 */
async function dropGpus(tx: Transaction, hosts: readonly HostFacts[]): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ host: string; address: string }>`
    with gone as (
      select host, address, instance_id from gpus
      where host = any(${hosts.map((host) => host.name)}::text[]) and (host, address) not in (
        select host, address from jsonb_to_recordset(${JSON.stringify(hosts.flatMap(gpusOf))}::jsonb)
          as fact (host text, address text))
    ), dropped as (
      delete from gpus g using gone where g.host = gone.host and g.address = gone.address and gone.instance_id is null
    )
    update gpus g set healthy = false from gone
    where g.host = gone.host and g.address = gone.address and gone.instance_id is not null
    returning g.host, g.address`.execute(tx);
  const lost = new Map<string, string[]>();
  for (const { host, address } of rows) lost.set(host, [...(lost.get(host) ?? []), address]);
  return lost;
}

const gpusOf = (host: HostFacts) => host.gpus.map((gpu) => ({ ...gpu, host: host.name }));

async function recountPools(tx: Transaction, hosts: readonly string[]): Promise<void> {
  await sql`
    delete from gpu_pools p where p.host = any(${hosts}::text[])
      and not exists (select from gpus g where g.host = p.host and g.model = p.model)`.execute(tx);
  await sql`
    insert into gpu_pools as p (host, model, total, free)
    select host, model, count(*), count(*) filter (where healthy and instance_id is null)
    from gpus where host = any(${hosts}::text[]) group by host, model
    on conflict (host, model) do update set total = excluded.total, free = excluded.free
    where (p.total, p.free) is distinct from (excluded.total, excluded.free)`.execute(tx);
}
