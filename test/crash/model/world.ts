// The model: what there is, and what happens by itself. A world is never changed, only replaced; answers.ts says what a
// request makes of one, judge.ts goes through those that are possible. Written from the decisions (sections 2 to 5).
//
// Times are seconds since the sequence began, as the service's clock counts them; what happened within an interval is
// known to have happened between its ends.

import {
  type Coupon,
  type Customer,
  coupons,
  customers,
  hosts,
  limits,
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
  readonly failed: boolean;
  readonly endedBy: "customer" | "failure" | null;
  readonly activeAt?: Moment;
  /** When it was first active or first stopped, and its bill began. */
  readonly billedAt?: Moment;
  readonly endedAt?: Moment;
  readonly terminatedAt?: Moment;
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
  readonly hosts: ReadonlyMap<
    string,
    { readonly alive: boolean; readonly available: boolean; readonly cordoned: boolean }
  >;
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
    hosts: each(Object.keys(hosts), () => ({ alive: true, available: true, cordoned: false })),
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

/** What is left of a host. */
export function roomOn(world: World, host: string): Size {
  let { gpus, vcpus, memory, storage } = known(hosts, host);
  for (const one of world.instances.values()) {
    if (one.host !== host || !holds(one)) continue;
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
  const { available, cordoned } = known(world.hosts, host);
  if (!available || cordoned) return 0;
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

/** What may become of an instance next by itself; nothing: it is at rest until time passes or somebody wishes. */
export function nextOf(world: World, one: Instance, now: number): Instance[] {
  const { alive } = known(world.hosts, one.host);
  const when = { from: Math.max(one.since.from, Math.min(one.settles.from, now)), to: now };
  const hasSettled = one.settles.from <= now;
  const isOverdue = now - one.wishedAt.from > limits.bootDeadlineSeconds;
  const turned = (machine: "on" | "off", seconds = world.seconds): Instance => {
    const settles = { from: one.since.from + seconds, to: now + seconds };
    return { ...one, machine, settles, since: when, lateStart: false };
  };
  // What was up once, and is not there any more, is gone with its data.
  const isGone = one.activeAt !== undefined && one.machine === "none" && alive && isLive(one);
  if (isGone && (one.astray || one.state === "booting" || one.state === "stopping")) return [ended(one, when)];
  switch (one.state) {
    case "booting":
      if (!alive) return isOverdue ? [failed(one, when)] : [];
      // A boot that takes time is over its deadline as soon as it is begun.
      if (one.machine !== "on") return [isOverdue && world.seconds > 0 ? failed(turned("on"), when) : turned("on")];
      if (hasSettled) return [{ ...billed(one, when), state: "active", activeAt: one.activeAt ?? when }];
      return isOverdue ? [failed(one, when)] : [];
    case "stopping": {
      if (!alive) return [];
      if (one.machine === "on") return [turned("off")];
      const late = one.lateStart ? [turned("on")] : [];
      if (one.machine === "none") return [turned("off", 0), ...late];
      return hasSettled ? [{ ...billed(one, when), state: "stopped", lateStart: false }, ...late] : late;
    }
    case "active":
      return alive && one.astray ? [{ ...one, state: "stopped", since: when, astray: false }] : [];
    case "stopped":
      return alive && one.machine === "on" ? [turned("off")] : [];
    case "terminating":
      if (!alive) return [];
      return [{ ...one, state: "terminated", since: when, terminatedAt: when, machine: "none", health: "ok" }];
    default:
      return [];
  }
}

/** Whether it may stay as it is, once whatever is to be done has been done. */
export function mayRest(world: World, one: Instance, now: number): boolean {
  const waits =
    (one.state === "booting" && one.machine === "on") || (one.state === "stopping" && one.machine === "off");
  return nextOf(world, one, now).length === 0 || (waits && one.settles.to > now);
}

/** What was never up is removed; what was is kept. */
function failed(one: Instance, when: Moment): Instance {
  return one.activeAt === undefined ? ended(one, when) : { ...one, state: "stopped", failed: true, since: when };
}

function billed(one: Instance, when: Moment): Instance {
  return { ...one, since: when, billedAt: one.billedAt ?? when };
}

function ended(one: Instance, when: Moment): Instance {
  return { ...one, state: "terminating", failed: true, endedBy: "failure", endedAt: when, since: when };
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

/** The engine's list was looked at: which hosts take something new, and who can be reached. */
export function swept(world: World): World {
  const seen = [...world.hosts].map(([name, host]): [string, typeof host] => [
    name,
    { ...host, available: host.alive },
  ]);
  const instances = [...world.instances].map(([id, one]): [string, Instance] => {
    const isUpAndOff = one.state === "active" && one.machine !== "on";
    const isStoppedAndGone = one.state === "stopped" && one.machine === "none" && one.activeAt !== undefined;
    const isAstray = isUpAndOff || isStoppedAndGone;
    if (known(world.hosts, one.host).alive) return [id, { ...one, health: "ok", astray: one.astray || isAstray }];
    return [id, isLive(one) ? { ...one, health: "unreachable" } : one];
  });
  return { ...world, hosts: new Map(seen), instances: new Map(instances) };
}
