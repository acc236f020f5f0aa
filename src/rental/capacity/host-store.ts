// Stores hosts in hosts, gpus and gpu_pools, consistently with what instances use. Used by the reconciler's host sync
// (sync-hosts.ts) and by the control API's PUT and DELETE of a host.
//
// Invariant, checked by test/support/audit.ts: free = total - used (by instances and validations) for CPU, memory and storage; gpu_pools.total counts
// the GPUs of a model, gpu_pools.free the healthy unused ones. Everything here runs under the host's row lock, and each
// statement after the first reads what was committed before the lock was taken.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { type GpuList, gpuListsOf, gpusByHost } from "../../database/gpu-lists.ts";
import { asHostState, initialHostMode, lostMode } from "../../rules/host-lifecycle.ts";
import { RentalError } from "../errors.ts";
import { isOffered } from "../gpus/gpu-sql.ts";
import { recountPools } from "../gpus/pools.ts";
import { allHosts, type HostScope, isInScope } from "../hosts/host-scope.ts";
import { recordHostStates } from "../hosts/state-events.ts";
import { unblockFileSystems } from "../hosts/verified-off.ts";
import { instancesOn } from "../moving/move-sql.ts";
import { type HostFacts, type HostOverrides, type HostReading, readingOf, withOverrides } from "./overrides.ts";

/** A host to store: what it counts as, and the report and overrides behind that. */
export interface HostRecord extends HostFacts {
  readonly reported: HostReading;
  readonly overrides: HostOverrides | null;
}

/** A stored host. */
export interface StoredHost extends HostFacts {
  /** The engine's last report; null if there is none yet. */
  readonly reported: HostReading | null;
  readonly overrides: HostOverrides | null;
}

/** What could not be stored as reported, because instances use it; for the log. */
export interface HostShortfall {
  /** It has less than instances use: the totals stay at the used amount, and it is unschedulable until that fits again. */
  readonly overcommitted: boolean;
  /** Missing GPUs that instances use: kept as unhealthy until released. */
  readonly lostGpus: readonly string[];
}

export function recordOf(reported: HostFacts, overrides: HostOverrides | null): HostRecord {
  return { ...withOverrides(reported, overrides), reported: readingOf(reported), overrides };
}

/**
 * Creates or updates the host from its record. Its region exists. Leaves its mode unchanged. Throws RentalError
 * conflict if another engine has a host with this name.
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
 * As `upsertHost`, for many in seven statements: 10,000 single ones would take minutes. Hosts whose state has changed by
 * it are told of in events. Returns the shortfall of each by name. Locks in order of name, like every statement that waits for several hosts.
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

/** Locks those of the hosts that still exist, in order of name; returns their overrides by name. */
export async function lockHosts(tx: Transaction, names: readonly string[]): Promise<Map<string, HostOverrides | null>> {
  const { rows } = await sql<{ name: string; overrides: HostOverrides | null }>`
    select name, overrides from hosts where name = any(${names}::text[]) order by name for update`.execute(tx);
  return new Map(rows.map((row) => [row.name, row.overrides]));
}

/** Throws RentalError unknown-object, and conflict while instances use it, or while it is promised and not lost. */
export async function removeHost(tx: Transaction, name: string): Promise<void> {
  const { rows } = await sql<{ promised: number; mode: string }>`
    select promised, mode from hosts where name = ${name} for update`.execute(tx);
  const [host] = rows;
  if (host === undefined) throw new RentalError("unknown-object", { what: "host", ids: [name] });
  // Capacity is reserved only under this lock, so the count is final.
  const held = await sql<{ instances: number }>`
    select ${instancesOn(sql`${name}`)} as instances`.execute(tx);
  const instances = held.rows[0]?.instances ?? 0;
  if (instances > 0) {
    throw new RentalError("conflict", {
      message: `Host ${name} holds ${instances} instance${instances === 1 ? "" : "s"}.`,
      suggestion: "Cordon it, and delete it when its instances are terminated.",
    });
  }
  // What is promised of a lost host is promised on others, if they have the capacity (reservations/replan.ts).
  if (host.promised > 0 && host.mode !== lostMode) {
    throw new RentalError("conflict", {
      message: `Host ${name} is promised to reservations.`,
      suggestion:
        "Cordon it, and delete it when they are promised on other hosts: `GET /reservations` shows which are.",
    });
  }
  // What was still to be removed from a lost host is gone with it.
  await sql`
    delete from removed_file_systems f using hosts h
    where h.name = ${name} and h.mode = ${sql.lit(lostMode)} and f.engine = h.engine and f.host = h.name`.execute(tx);
  await unblockFileSystems(tx, name);
  // A host of this name may be seen again: what is not free is not free then either (trigger gpus_arrive). Only its first
  // burn-in begins anew, as for new GPUs.
  await sql`delete from gone_gpus where host = ${name}`.execute(tx);
  await sql`
    insert into gone_gpus (host, address, state, reason, evidence, validation_due, reset_owed)
    select host, address, case state when 'quarantined' then state else 'sanitizing' end, reason, evidence, validation_due,
      reset_owed
    from gpus where host = ${name} and (state = 'quarantined'
      or (state <> 'free' and (validation_due is distinct from 'burn-in' or handovers > 0)))`.execute(tx);
  await sql`delete from hosts where name = ${name}`.execute(tx);
}

/** Rows per read, of about a kilobyte each. */
const PAGE = 2000;

/**
 * The stored hosts of the engine in this scope, with its GPUs in order of address; for comparison with the engine's report. Not a
 * consistent snapshot. Equal GPU lists and reports are shared objects.
 */
export async function storedHosts(
  db: Database,
  engine: string,
  scope: HostScope = allHosts,
  pageLength = PAGE,
): Promise<StoredHost[]> {
  const { rows } = await sql<{ lists: GpuList[] }>`
    select ${gpuListsOf(sql`
      select * from gpus where host in (select name from hosts where engine = ${engine} and ${isInScope(scope, sql`name`)})`)} as lists`.execute(
    db,
  );
  const gpus = gpusByHost(rows[0]?.lists ?? []);
  const hosts: (Omit<StoredHost, "reported"> & { readonly mark: string | null })[] = [];
  const readings = new Map<string, HostReading>();
  for (let after = ""; ; ) {
    const { rows: page } = await sql<Omit<StoredHost, "gpus"> & { mark: string | null }>`
      select ${columns}, mark, case when row_number() over (partition by mark) = 1 then h.reported end as reported
      from (
        select h.*, ${markOfReading} as mark from hosts h
        where h.engine = ${engine} and h.name > ${after} and ${isInScope(scope, sql`h.name`)}
        order by h.name limit ${pageLength}
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

/** Identifies reports. They are a kilobyte each, with few different ones, so each is read once per page. */
const markOfReading = sql`encode(sha256(convert_to(h.reported::text, 'UTF8')), 'base64')`;

/** Throws RentalError unknown-object. */
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

/**
 * The used amount is `total - free` of the stored row. `before` is of the statement's snapshot, which is of the rows as
 * they are: their locks are held. Returns the names of hosts with less than what is used.
 */
async function upsertTotals(tx: Transaction, hosts: readonly HostRecord[]): Promise<Set<string>> {
  const { rows } = await sql<{
    name: string;
    vcpus: number;
    memory_gib: number;
    storage_gb: number;
    id: string;
    state: string;
    state_before: string | null;
    mode_reason: string | null;
  }>`
    with before as (
      select name, state from hosts where name = any(${hosts.map((host) => host.name)}::text[])
    ), stored as (
    insert into hosts as h (name, engine, region, vcpus, memory_gib, storage_gb,
      free_vcpus, free_memory_gib, free_storage_gb, available, shared_storage, multi_attach, reported, overrides, mode)
    select name, engine, region, vcpus, "memoryGib", "storageGb", vcpus, "memoryGib", "storageGb", available,
      "sharedStorage", coalesce("multiAttach", false), reported, nullif(overrides, 'null'), ${modeOfNew(sql`fact.name`)}
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
    returning name, vcpus, memory_gib, storage_gb, id, state, mode_reason)
    select stored.*, before.state as state_before from stored left join before on before.name = stored.name`.execute(
    tx,
  );
  await recordHostStates(
    tx,
    rows.flatMap(({ id, name, state, state_before: before, mode_reason: reason }) =>
      before === null ? [] : [{ id, name, from: asHostState(before), to: asHostState(state), reason }],
    ),
  );
  const stored = new Map(rows.map((row) => [row.name, row]));
  const overcommitted = new Set<string>();
  for (const host of hosts) {
    const row = stored.get(host.name);
    if (row === undefined) throw otherEngines(host);
    const holdsMore = row.vcpus > host.vcpus || row.memory_gib > host.memoryGib || row.storage_gb > host.storageGb;
    if (holdsMore) overcommitted.add(host.name);
  }
  // A host that exists again was not removed: cache.ts reads removals by transaction id, which does not follow the
  // order of commits.
  await sql`delete from removed_hosts where name = any(${[...stored.keys()]}::text[])`.execute(tx);
  return overcommitted;
}

/** The mode of a host of this name that is created: of one that was lost when it was deleted, lost again. */
export function modeOfNew(name: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when exists (select from removed_hosts gone where gone.name = ${name} and gone.lost)
    then ${sql.lit(lostMode)} else ${sql.lit(initialHostMode)} end`;
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
 * Removes GPUs that the hosts no longer have; those that are not free become unhealthy, so that one that is quarantined
 * stays so when it is seen again, and used ones are returned. One that is removed is known from then on: it is not new when it is seen again. `not in`, because PostgreSQL
 * hashes it; a join would compare the GPUs of 200 hosts pair by pair.
 */
async function dropGpus(tx: Transaction, hosts: readonly HostFacts[]): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ host: string; address: string; held: boolean }>`
    with gone as (
      select host, address, state from gpus
      where host = any(${hosts.map((host) => host.name)}::text[]) and (host, address) not in (
        select host, address from jsonb_to_recordset(${JSON.stringify(hosts.flatMap(gpusOf))}::jsonb)
          as fact (host text, address text))
    ), dropped as (
      delete from gpus g using gone where g.host = gone.host and g.address = gone.address and ${isOffered(sql`gone.state`)}
      returning g.host, g.address
    ), known as (
      insert into gone_gpus (host, address) select host, address from dropped on conflict do nothing
    )
    update gpus g set healthy = false from gone
    where g.host = gone.host and g.address = gone.address and not ${isOffered(sql`gone.state`)}
    returning g.host, g.address, g.instance_id is not null as held`.execute(tx);
  const lost = new Map<string, string[]>();
  for (const { host, address, held } of rows) if (held) lost.set(host, [...(lost.get(host) ?? []), address]);
  return lost;
}

const gpusOf = (host: HostFacts) => host.gpus.map((gpu) => ({ ...gpu, host: host.name }));
