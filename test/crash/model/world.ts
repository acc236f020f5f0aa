// The model: what there is. A world is never changed, only replaced; answers.ts says what a request makes of one, next.ts,
// resync.ts and maintenance.ts what happens by itself, and judge.ts goes through those that are possible. Written from
// the decisions (sections 2 to 5).
//
// Times are seconds since the sequence began, as the service's clock counts them; what happened within an interval is
// known to have happened between its ends.

import {
  type Coupon,
  type Customer,
  coupons,
  customers,
  hosts,
  type Quotas,
  quotas,
  type Size,
  types,
} from "./scene.ts";

export interface Moment {
  readonly from: number;
  readonly to: number;
}

export type State = "booting" | "active" | "stopping" | "stopped" | "terminating" | "terminated";

export interface Instance {
  readonly id: string;
  readonly position: number;
  readonly account: Customer;
  readonly name: string;
  readonly type: string;
  readonly cents: number;
  readonly percent: number;
  readonly image: string;
  readonly region: string;
  readonly host: string;
  readonly keys: readonly string[];
  readonly fileSystems: readonly string[];
  readonly password: boolean;
  readonly state: State;
  /** When it entered the state, or something happened to its machine. */
  readonly since: Moment;
  readonly wishedAt: Moment;
  readonly machine: "none" | "on" | "off";
  /** When the machine is up or halted. */
  readonly settles: Moment;
  /** Somebody may be about to start it, and has not heard of a newer wish. */
  readonly lateStart: boolean;
  /** Its machine halted or went by itself, and that was seen. */
  readonly astray: boolean;
  readonly health: "ok" | "unreachable";
  /** Its host was last reached then, and has not been since. */
  readonly unreachableSince?: Moment;
  /** Whether that time counts as downtime, which is not billed. */
  readonly isDown: Known;
  /** Downtime that is over. */
  readonly downtime: readonly Downtime[];
  readonly failed: boolean;
  readonly endedBy: "customer" | "failure" | "host-lost" | null;
  readonly move?: Move;
  /** A lost host that it was moved to, and that may still run it: it does not start before that has returned. */
  readonly heldBy?: string;
  /** Hosts that keep a copy of its machine that no move expects. */
  readonly strays: readonly string[];
  /** The maintenance that stopped it, and starts it again. */
  readonly stoppedFor?: { readonly host: string; readonly nth: number };
  /** Since when that is not billed. */
  readonly pausedFrom?: Moment;
  readonly activeAt?: Moment;
  /** When it was first active or first stopped, and its bill began. */
  readonly billedAt?: Moment;
  readonly endedAt?: Moment;
  readonly terminatedAt?: Moment;
}

/** What depends on a limit of time that has perhaps been reached. */
type Known = "no" | "perhaps" | "yes";

export interface Downtime {
  readonly from: Moment;
  readonly to: Moment;
  readonly isSure: boolean;
}

/** To another host. A failed one is over, but for that no drain begins another. */
export interface Move {
  readonly phase: "copying" | "moved" | "removing-source" | "removing-target" | "failed";
  readonly from: string;
  readonly to: string;
}

export type HostMode = "up" | "cordoned" | "draining" | "maintenance" | "lost";

export interface Host {
  readonly alive: boolean;
  readonly available: boolean;
  readonly mode: HostMode;
  /** How it is emptied, while that is remembered. */
  readonly drains: "wait" | "move" | null;
  /** The maintenance that has begun. */
  readonly maintenance?: Maintenance;
  /** The sweep that reached it last, if the latest one did not. */
  readonly unreachableSince?: Moment;
}

export interface Maintenance {
  /** Of all of the sequence. */
  readonly nth: number;
  readonly mode: "stop" | "move" | "nothing";
  /** Of the host, before. */
  readonly before: HostMode;
  readonly ends: Moment;
}

export interface FileSystem {
  readonly account: Customer;
  readonly name: string;
  readonly region: string;
  readonly attachedTo: string | null;
}

/** The first answer under an Idempotency-Key. */
export interface Kept {
  /** Of the request: which others are the same. */
  readonly print: string;
  readonly at: Moment;
  readonly byReader: boolean;
  readonly shows: unknown;
}

export interface World {
  /** How long machines take to boot and to halt. */
  readonly seconds: number;
  /** A lease or a wait may keep work from being done until some time has passed. */
  readonly lags: boolean;
  readonly instances: ReadonlyMap<string, Instance>;
  readonly keys: ReadonlyMap<string, { readonly account: Customer; readonly name: string }>;
  readonly fileSystems: ReadonlyMap<string, FileSystem>;
  readonly hosts: ReadonlyMap<string, Host>;
  /** The latest sweep. */
  readonly sweptAt: Moment;
  readonly cents: ReadonlyMap<string, number>;
  readonly coupons: ReadonlyMap<string, Coupon>;
  readonly accounts: ReadonlyMap<
    Customer,
    { readonly active: boolean; readonly revoked: boolean; readonly quotas: Quotas }
  >;
  /** By account and key. */
  readonly kept: ReadonlyMap<string, Kept>;
}

export function newWorld(seconds: number): World {
  const each = <K extends string, T>(names: readonly K[], make: (name: K) => T) =>
    new Map(names.map((name) => [name, make(name)]));
  return {
    seconds,
    lags: false,
    instances: new Map(),
    keys: new Map(),
    fileSystems: new Map(),
    hosts: each(Object.keys(hosts), () => ({ alive: true, available: true, mode: "up", drains: null })),
    // One before the sequence.
    sweptAt: { from: Number.NEGATIVE_INFINITY, to: 0 },
    cents: new Map(Object.entries(types).map(([name, { cents }]) => [name, cents])),
    coupons: new Map(Object.entries(coupons)),
    accounts: each(customers, (name) => ({ active: true, revoked: false, quotas: quotas[name] })),
    kept: new Map(),
  };
}

/** The same map with one entry replaced. */
export function set<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

/** Everything that exists in the scene is in the model. */
export function known<K, V>(map: ReadonlyMap<K, V> | Readonly<Record<string, V>>, key: K & string): V {
  const found = map instanceof Map ? map.get(key) : (map as Readonly<Record<string, V>>)[key];
  if (found === undefined) throw new Error(`BUG: the model does not know ${key}`);
  return found;
}

export const isLive = (one: Instance) => one.state !== "terminating" && one.state !== "terminated";
export const holds = (one: Instance) => one.state !== "terminated";

/** In the order of lists. */
export function inOrder(world: World, which: (one: Instance) => boolean): Instance[] {
  return [...world.instances.values()].filter(which).sort((a, b) => a.position - b.position);
}

/** The host that keeps capacity for a move, beside that of the instance. */
export function secondHost({ move }: Instance): string | undefined {
  if (move === undefined || move.phase === "failed") return undefined;
  return move.phase === "copying" || move.phase === "removing-target" ? move.to : move.from;
}

/** Whether something new may be put on a host. */
export function accepts(world: World, host: string): boolean {
  const { available, mode } = known(world.hosts, host);
  return available && mode === "up";
}

/** What is left of a host. */
export function roomOn(world: World, host: string): Size {
  let { gpus, vcpus, memory, storage } = known(hosts, host);
  for (const one of world.instances.values()) {
    if (!(one.host === host && holds(one)) && secondHost(one) !== host) continue;
    const size = known(types, one.type);
    gpus -= size.gpus;
    vcpus -= size.vcpus;
    memory -= size.memory;
    storage -= size.storage;
  }
  return { gpus, vcpus, memory, storage };
}

/** How many of the type a launch finds room for, on a host. */
export function fitsOn(world: World, host: string, type: string): number {
  if (!accepts(world, host)) return 0;
  const [room, size] = [roomOn(world, host), known(types, type)];
  const byGpus = size.gpus === 0 ? Number.POSITIVE_INFINITY : room.gpus / size.gpus;
  return Math.floor(Math.min(byGpus, room.vcpus / size.vcpus, room.memory / size.memory, room.storage / size.storage));
}

/** How many of the type fit in a region. */
export function fitsIn(world: World, region: string, type: string): number {
  const names = Object.keys(hosts).filter((name) => known(hosts, name).region === region);
  return names.reduce((sum, name) => sum + fitsOn(world, name, type), 0);
}

/** What an account has in use. */
export function usedBy(world: World, account: Customer): Quotas {
  const own = [...world.instances.values()].filter((one) => one.account === account && holds(one));
  const sum = (what: "gpus" | "vcpus") => own.reduce((total, { type }) => total + known(types, type)[what], 0);
  const count = (map: ReadonlyMap<string, { account: Customer }>) =>
    [...map.values()].filter((one) => one.account === account).length;
  return {
    instances: own.length,
    gpus: sum("gpus"),
    vcpus: sum("vcpus"),
    ssh_keys: count(world.keys),
    file_systems: count(world.fileSystems),
  };
}

/** The world in which this instance is so. */
export function withInstance(world: World, one: Instance): World {
  const instances = set(world.instances, one.id, one);
  if (holds(one)) return { ...world, instances };
  const freed = [...world.fileSystems].map(([id, each]): [string, FileSystem] => [
    id,
    each.attachedTo === one.id ? { ...each, attachedTo: null } : each,
  ]);
  return { ...world, instances, fileSystems: new Map(freed) };
}
