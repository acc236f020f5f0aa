// Reads hosts with what could be evicted on them, and what is under notice. Used by evictor.ts without locks, for a plan, and
// by settle.ts on locked hosts.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { type Question, question, together } from "../../database/round-trips.ts";
import { afterAction, states } from "../../rules/lifecycle.ts";
import { haltSeconds } from "../../rules/spot.ts";
import { hostsAsTheyAre, type LockedHost } from "../capacity/host-lock.ts";
import { returnsByItself } from "../gpus/gpu-sql.ts";
import { acceptsInstances } from "../hosts/accepting.ts";
import { type Evictable, type EvictionHost, withoutInstances } from "./evictable.ts";
import { holderPosition, isEvictable, isLeaving, isUnderNotice } from "./spot-sql.ts";

/** An instance whose notice runs. */
export interface Notice {
  readonly id: string;
  readonly evictedFor: string;
  /** Whether that still holds. */
  readonly isHeld: boolean;
  /** It is over. */
  readonly isOver: boolean;
  /** Its guest is to be asked to halt. */
  readonly isToHalt: boolean;
}

/** The hosts on which something could be evicted, or comes back by itself. */
export async function hostsOfSpot(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select h.name from hosts h
    where ${acceptsInstances(sql`h.state`)} and h.name in (
      select i.host from instances i where i.spot and i.terminated_at is null
      union select i.host from instances i where i.next_look_at is not null and ${isLeaving}
      union select g.host from gpus g where ${returnsByItself(sql`g.state`)})`.execute(db);
  return rows.map(({ name }) => name);
}

/** Those of the hosts that accept instances. */
export async function readFleet(db: Database, names: readonly string[]): Promise<EvictionHost[]> {
  if (names.length === 0) return [];
  const [hosts, accepting, instances, back] = await together(db, [
    hostsAsTheyAre(names),
    acceptingOf(names),
    instancesOn(names),
    returningOn(names),
  ] as const);
  const byHost = Map.groupBy(instances, ({ host }) => host);
  const returning = Map.groupBy(back, ({ host }) => host);
  return hosts
    .filter(({ name }) => accepting.has(name))
    .map((host) => evictionHost(host, byHost.get(host.name) ?? [], returning.get(host.name) ?? []));
}

/** All instances under notice. */
export async function readNotices(db: Database): Promise<Notice[]> {
  const { rows } = await sql<Notice>`
    select i.id, i.evicted_for as "evictedFor", ${holderPosition} is not null as "isHeld",
      i.evict_at <= now() as "isOver", ${isToHalt} as "isToHalt"
    from instances i where ${isUnderNotice}`.execute(db);
  return rows;
}

/** The states from which an instance can be halted. */
const haltable = states.filter((state) => (afterAction(state, "stop") ?? state) !== state);

/** Whether the guest of `instances i`, which is under notice, is to be asked to halt: once. */
export const isToHalt: RawBuilder<boolean> = sql<boolean>`(not i.evict_stopped and i.state = any(${haltable}::text[])
  and i.evict_at <= now() + make_interval(secs => ${haltSeconds}))`;

type Gpu = LockedHost["freeGpus"][number];

interface InstanceRow {
  readonly host: string;
  readonly id: string;
  readonly position: number;
  readonly vcpus: number;
  readonly memory_gib: number;
  readonly storage_gb: number;
  readonly gpus: number;
  /** Those that come back. */
  readonly freed: readonly { readonly address: string; readonly model: string; readonly numa_node: number }[];
  readonly evictable: boolean;
  readonly under_notice: boolean;
  readonly leaving: boolean;
  readonly owner: string | null;
  /** Null: it is evicted for none that still holds. */
  readonly owner_position: number | null;
}

function acceptingOf(names: readonly string[]): Question<Set<string>> {
  const query = sql<{ name: string }>`
    select name from hosts where name = any(${[...names]}::text[]) and ${acceptsInstances(sql`state`)}`;
  return question(query, (rows) => new Set(rows.map(({ name }) => name)));
}

function instancesOn(names: readonly string[]): Question<InstanceRow[]> {
  const query = sql<InstanceRow>`
    select i.host, i.id, i.position, i.vcpus, i.memory_gib, i.storage_gb, i.gpus,
      coalesce((select jsonb_agg(jsonb_build_object('address', g.address, 'model', g.model, 'numa_node', g.numa_node))
        from gpus g where g.host = i.host and g.instance_id = i.id and g.healthy and g.quarantine_next is null), '[]') as freed,
      ${isEvictable} as evictable,
      ${isUnderNotice} as under_notice, ${isLeaving} as leaving,
      i.evicted_for as owner, ${holderPosition}::float8 as owner_position
    from instances i
    where i.host = any(${[...names]}::text[]) and i.terminated_at is null and (i.spot or i.terminating_at is not null)`;
  return question(query, (rows) => rows);
}

/** GPUs that are being reset or validated. */
function returningOn(names: readonly string[]): Question<(Gpu & { readonly host: string })[]> {
  const query = sql<{ host: string; address: string; model: string; numa_node: number }>`
    select g.host, g.address, g.model, g.numa_node from gpus g
    where g.host = any(${[...names]}::text[]) and g.healthy and ${returnsByItself(sql`g.state`)}`;
  return question(query, (rows) => rows.map(({ host, ...gpu }) => ({ host, ...gpuFrom(gpu) })));
}

function evictionHost(host: LockedHost, instances: readonly InstanceRow[], returning: readonly Gpu[]): EvictionHost {
  const leaving = instances.filter((one) => one.leaving).map(evictableFrom);
  return {
    ...withoutInstances({ ...host, freeGpus: [...host.freeGpus, ...returning] }, leaving),
    evictable: instances.filter((one) => one.evictable).map(evictableFrom),
    owner: instances.map(ownerFrom).find((owner) => owner !== undefined),
  };
}

function ownerFrom({ owner: id, owner_position: position }: InstanceRow): EvictionHost["owner"] {
  return id === null || position === null ? undefined : { id, position };
}

function evictableFrom(row: InstanceRow): Evictable {
  return {
    id: row.id,
    position: row.position,
    vcpus: row.vcpus,
    memoryGib: row.memory_gib,
    storageGb: row.storage_gb,
    gpuCount: row.gpus,
    gpus: row.freed.map(gpuFrom),
    isUnderNotice: row.under_notice,
  };
}

function gpuFrom({ address, model, numa_node: numaNode }: InstanceRow["freed"][number]): Gpu {
  return { address, model, numaNode };
}
