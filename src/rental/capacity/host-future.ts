// What a host will surely have free at a later moment: what is free now, what instances that end before give back, and
// not what is promised then. Used to admit reservations, to check that those that were admitted still have their
// capacity, and for longer lifetimes.
//
// Invariant: only what is provable counts. What an instance of a reservation has is free for others when that ends, because
// its slot is promised until then, whether it is used or not. Another one ends with its lifetime, because it is being terminated, or, if it is
// spot, with a notice, and its host then needs the time between two customers. GPUs that are out of order, or will be when their instance ends, never
// count. On boards with partitions only what is free now counts: which partitions will be whole is not known.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { type Question, question, together } from "../../database/round-trips.ts";
import { asHostState, type HostState } from "../../rules/host-lifecycle.ts";
import { returnsByItself } from "../gpus/gpu-sql.ts";
import { bootBegan } from "../instances/boot-began.ts";
import type { Instance } from "../instances/instance.ts";
import { isOpen } from "../maintenance/window.ts";
import { holdsBoth, secondHost } from "../moving/move-sql.ts";
import { holderPosition, isEvictable, isLeaving } from "../spot/spot-sql.ts";
import type { FreeGpu } from "./choose-gpus.ts";
import { hostsAsTheyAre, type LockedHost, poolsOf } from "./host-lock.ts";
import { longestBootMs } from "./line.ts";
import { leastOf, less, promisedAt, roomUntil } from "./promised.ts";
import { howManyFit, type Room } from "./requirements.ts";

type Gpu = FreeGpu & { readonly model: string };

/** What comes back to a host. */
interface Returning {
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly gpus: readonly Gpu[];
}

/** An instance that surely ends, or a spot instance. In milliseconds since 1970. */
export interface Ending extends Returning {
  readonly id: string;
  /** Greater than that of every earlier launch. */
  readonly position: number;
  /** How many it has; `gpus` are those that others can get. */
  readonly gpuCount: number;
  /** By itself, or at the end of its notice. Null: not unless it is evicted. */
  readonly endsMs: number | null;
  /** A spot instance that is evicted when its capacity is needed, or is under notice. */
  readonly isEvictable: boolean;
  readonly evictedFor: string | null;
  /** What it is evicted for still needs that. */
  readonly isHeld: boolean;
  /** It is being removed. */
  readonly isLeaving: boolean;
  /** When this was read. */
  readonly seenMs: number;
}

export interface HostFuture {
  readonly host: LockedHost;
  readonly endings: readonly Ending[];
  /** GPUs that are between two customers, and since when. */
  readonly resetting: readonly (Gpu & { readonly sinceMs: number })[];
  /** Of maintenance that is not over. */
  readonly windows: readonly { readonly fromMs: number; readonly untilMs: number }[];
  readonly state: HostState;
  /** Undefined: its engine reaches it. */
  readonly unreachableSinceMs: number | undefined;
}

/** In milliseconds. */
export interface Stay {
  readonly fromMs: number;
  readonly endsMs: number;
  /** What hosts need between two customers. */
  readonly handoverMs: number;
  /** From when this is known until spot instances have surely ended that are to be evicted for it. */
  readonly noticeMs: number;
}

/** By name. As of now; reliable for locked hosts only. `bootSeconds`: how long a boot takes at most. */
export async function futuresOf(
  db: Database,
  names: readonly string[],
  bootSeconds: number | undefined,
): Promise<HostFuture[]> {
  const [hosts, states, endings, resetting, windows] = await together(db, [
    hostsAsTheyAre(names),
    statesOf(names),
    endingsOn(names, bootSeconds),
    resettingOn(names),
    windowsOf(names),
  ]);
  const inOrder = hosts.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return inOrder.flatMap((host) => {
    const state = states.get(host.name);
    if (state === undefined) return [];
    const others = {
      endings: endings.get(host.name) ?? [],
      resetting: resetting.get(host.name) ?? [],
      windows: windows.get(host.name) ?? [],
    };
    return [{ host, ...state, ...others }];
  });
}

/**
 * The room for what begins at `fromMs` and stays until `endsMs`: without what is `promised`, by default to all reservations.
 */
export function roomDuring(future: HostFuture, stay: Stay, promised = future.host.promised ?? []): Room {
  const { fromMs, endsMs, handoverMs } = stay;
  // What ends makes more room; only what begins meanwhile makes less.
  const begins = promised.map((one) => one.fromMs).filter((ms) => fromMs < ms && ms < endsMs + handoverMs);
  return leastOf([fromMs, ...begins].map((ms) => less(hostAt(future, ms, stay), promisedAt(promised, ms))));
}

/**
 * By what is gone. Between two ends it is the same, and calendars ask for many moments: of 300 hosts with seven ends each,
 * one takes a fourth of the time.
 */
const hostsLater = new WeakMap<HostFuture, Map<string, LockedHost>>();

/** The host when what is gone by this moment is. */
function hostAt(future: HostFuture, ms: number, stay: Pick<Stay, "handoverMs" | "noticeMs">): LockedHost {
  const isGone = goneBy(ms, stay);
  const known = hostsLater.get(future) ?? new Map<string, LockedHost>();
  hostsLater.set(future, known);
  const key = future.endings.flatMap((one, index) => (isGone(one) ? [index] : [])).join();
  const before = known.get(key);
  if (before !== undefined) return before;
  const host = given(future.host, future.endings.filter(isGone), false);
  known.set(key, host);
  return host;
}

/** The host with GPUs that come back within the time between two customers, as if they had. `inPartitions`: as of `given`. */
export function withResetting(future: HostFuture, nowMs: number, handoverMs: number, inPartitions = false): HostFuture {
  const gpus = future.resetting.filter(({ sinceMs }) => nowMs < sinceMs + handoverMs);
  return { ...future, host: given(future.host, [{ vcpus: 0, memoryGib: 0, storageGb: 0, gpus }], inPartitions) };
}

/** Whether maintenance of it falls into the stay. */
export function isInMaintenance({ windows }: HostFuture, { fromMs, endsMs }: Stay): boolean {
  return windows.some((window) => window.fromMs < endsMs && fromMs < window.untilMs);
}

/** Whether the instance can stay on its host, or those of its move, until `endsMs`; undefined: without end. Locks them. */
export async function canStay(tx: Transaction, instance: Instance, endsMs: number | undefined): Promise<boolean> {
  const hosts = await hostsWithout(tx, instance);
  return hosts.every(
    (host) => host.promised === undefined || howManyFit(roomUntil(host, endsMs), instance.product) > 0,
  );
}

/** Its host, and the other one of its move, as if it were gone. Locks them. */
export async function hostsWithout(tx: Transaction, { id, host, product }: Instance): Promise<LockedHost[]> {
  const { rows } = await sql<{ name: string }>`
    select h.name from hosts h
    where h.name = ${host} or h.name in (
      select ${secondHost} from moves m where m.instance_id = ${id} and ${holdsBoth})
    order by h.name for update`.execute(tx);
  const names = rows.map(({ name }) => name);
  const [hosts, held] = await together(tx, [hostsAsTheyAre(names), gpusHeldBy(id)]);
  const { vcpus, memoryGib, storageGb } = product;
  return hosts.map((one) => given(one, [{ vcpus, memoryGib, storageGb, gpus: held.get(one.name) ?? [] }], true));
}

/** Whether its capacity is there at this moment, for another customer. */
export function goneBy(ms: number, { handoverMs, noticeMs }: Pick<Stay, "handoverMs" | "noticeMs">) {
  return ({ endsMs, seenMs, isEvictable, evictedFor }: Ending): boolean => {
    // What should be gone by now and is not, counts no more: something keeps it.
    const ends = endsMs !== null && endsMs + handoverMs <= ms && endsMs + handoverMs > seenMs;
    return ends || (isEvictable && evictedFor === null && seenMs + noticeMs + handoverMs <= ms && seenMs < ms);
  };
}

/** The host when these are gone. `inPartitions`: whether GPUs on boards with partitions count. */
export function given(host: LockedHost, back: readonly Returning[], inPartitions: boolean): LockedHost {
  if (back.length === 0) return host;
  const sum = (of: "vcpus" | "memoryGib" | "storageGb") => back.reduce((all, one) => all + one[of], 0);
  const more = back.flatMap(({ gpus }) => gpus).filter(({ model }) => inPartitions || !host.partitions.has(model));
  const freeGpus = [...host.freeGpus, ...more];
  const totals = Object.fromEntries([...host.gpus].map(([model, { total }]) => [model, total]));
  return {
    ...{ ...host, freeGpus, gpus: poolsOf(freeGpus, totals, host.partitions) },
    freeVcpus: host.freeVcpus + sum("vcpus"),
    freeMemoryGib: host.freeMemoryGib + sum("memoryGib"),
    freeStorageGb: host.freeStorageGb + sum("storageGb"),
  };
}

const gpuAsJson = sql`jsonb_build_object('address', g.address, 'model', g.model, 'numaNode', g.numa_node)`;

function statesOf(names: readonly string[]): Question<Map<string, Pick<HostFuture, "state" | "unreachableSinceMs">>> {
  const query = sql<{ name: string; state: string; since: number | null }>`
    select h.name, h.state, (extract(epoch from h.unreachable_since) * 1000)::float8 as since
    from hosts h where h.name = any(${[...names]}::text[])`;
  return question(
    query,
    (rows) =>
      new Map(
        rows.map(({ name, state, since }) => [
          name,
          { state: asHostState(state), unreachableSinceMs: since ?? undefined },
        ]),
      ),
  );
}

/** By host. */
function endingsOn(names: readonly string[], bootSeconds: number | undefined): Question<Map<string, Ending[]>> {
  const allowance = longestBootMs(bootSeconds) / 1000;
  const query = sql<Ending & { readonly host: string }>`
    select i.host, i.id, i.position, i.vcpus, i.memory_gib as "memoryGib", i.storage_gb as "storageGb", i.gpus as "gpuCount",
      ${isEvictable} as "isEvictable", i.evicted_for as "evictedFor", ${holderPosition} is not null as "isHeld",
      ${isLeaving} as "isLeaving", (extract(epoch from ends.at) * 1000)::float8 as "endsMs", (extract(epoch from now()) * 1000)::float8 as "seenMs",
      coalesce((select jsonb_agg(${gpuAsJson}) from gpus g
        where g.instance_id = i.id and g.host = i.host and g.healthy and g.quarantine_next is null), '[]') as gpus
    from instances i left join reservations own on own.id = i.reservation_id and own.ended_at is null
    cross join lateral (
      select case when own.id is not null then own.ends_at else least(i.terminating_at, coalesce(i.expires_at,
        ${bootBegan(sql`i`)} + make_interval(secs => i.max_lifetime_seconds + ${allowance}::float8)), i.evict_at) end as at) ends
    where i.host = any(${[...names]}::text[]) and i.terminated_at is null and (ends.at is not null or ${isEvictable})`;
  return question(query, (rows) => Map.groupBy(rows, ({ host }) => host));
}

function resettingOn(names: readonly string[]): Question<Map<string, (Gpu & { readonly sinceMs: number })[]>> {
  const query = sql<Gpu & { readonly host: string; readonly sinceMs: number }>`
    select g.host, g.address, g.model, g.numa_node as "numaNode", (extract(epoch from g.state_since) * 1000)::float8 as "sinceMs"
    from gpus g where g.host = any(${[...names]}::text[]) and ${returnsByItself(sql`g.state`)} and g.healthy`;
  return question(query, (rows) => Map.groupBy(rows, ({ host }) => host));
}

function windowsOf(names: readonly string[]): Question<Map<string, HostFuture["windows"]>> {
  const query = sql<{ host: string; fromMs: number; untilMs: number }>`
    select w.host, (extract(epoch from w.begins_at) * 1000)::float8 as "fromMs",
      (extract(epoch from w.ends_at) * 1000)::float8 as "untilMs"
    from maintenance_windows w where w.host = any(${[...names]}::text[]) and ${isOpen}`;
  return question(query, (rows) => Map.groupBy(rows, ({ host }) => host));
}

/** By host. */
function gpusHeldBy(instanceId: string): Question<Map<string, Gpu[]>> {
  const query = sql<Gpu & { readonly host: string }>`
    select g.host, g.address, g.model, g.numa_node as "numaNode" from gpus g
    where g.instance_id = ${instanceId} and g.healthy and g.quarantine_next is null`;
  return question(query, (rows) => Map.groupBy(rows, ({ host }) => host));
}
