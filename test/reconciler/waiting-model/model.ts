// The exact allocator that random histories of launches are compared with (waiting-launches-random.test.ts): a few hosts,
// GPU by GPU, and a list of all waiting launches, without lines, caches or locks. It shares no code with what it judges.
//
// Invariant: a model is never changed; `moves.ts` makes the next one. Which host is used it does not choose: it says whether
// one may be used, and whether there is one.

/** A lifetime counts from the end of the boot. */
const mostBootMs = 600_000;

export interface ModelType {
  readonly name: string;
  /** Undefined: without GPUs. */
  readonly gpuModel: string | undefined;
  readonly gpus: number;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly cents: number;
  /** Undefined: not as spot. */
  readonly spotCents: number | undefined;
}

export interface ModelHost {
  readonly name: string;
  readonly region: string;
  readonly rack: string;
  readonly accepts: boolean;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly gpuModel: string | undefined;
  /** By address, whether operators have quarantined it, or will when its instance ends. */
  readonly gpus: ReadonlyMap<string, boolean>;
  /** Kept for a waiting launch. */
  readonly kept: Kept | undefined;
}

export interface Kept {
  readonly launch: string;
  readonly position: number;
  /** In milliseconds since 1970; undefined: not known. */
  readonly fromMs: number | undefined;
}

export interface ModelAccount {
  readonly id: string;
  readonly quotas: { readonly instances: number; readonly gpus: number; readonly vcpus: number };
  /** Its spend limit is 0. */
  readonly spendsNothing: boolean;
  /** The names of its SSH keys. */
  readonly keys: ReadonlySet<string>;
}

export interface ModelInstance {
  readonly id: string;
  readonly account: string;
  readonly type: string;
  readonly host: string;
  readonly gpus: readonly string[];
  readonly spot: boolean;
  /** Ascending in order of launch. */
  readonly position: number;
  /** The launch that it is evicted for. */
  readonly evictedFor: string | undefined;
}

/** What a launch asks for. */
export interface Wanted {
  readonly account: string;
  readonly token: string;
  readonly type: string;
  /** Undefined: any. */
  readonly region: string | undefined;
  /** Undefined: any. */
  readonly rack: string | undefined;
  readonly quantity: number;
  readonly mostCents: number | undefined;
  readonly lifetimeSeconds: number | undefined;
  readonly key: string | undefined;
  readonly spot: boolean;
}

export type ModelBlocker = "capacity" | "quota" | "spend-limit" | "price";

export interface ModelLaunch extends Wanted {
  readonly id: string;
  readonly position: number;
  readonly blockedBy: ModelBlocker;
  /** When all of several instances are expected to fit, in milliseconds since 1970; undefined: not known. */
  readonly startsMs?: number | undefined;
}

export interface Model {
  readonly types: ReadonlyMap<string, ModelType>;
  readonly hosts: ReadonlyMap<string, ModelHost>;
  readonly accounts: ReadonlyMap<string, ModelAccount>;
  readonly instances: ReadonlyMap<string, ModelInstance>;
  /** Those that wait. */
  readonly launches: ReadonlyMap<string, ModelLaunch>;
  readonly revokedTokens: ReadonlySet<string>;
}

export type Verdict = "placeable" | "refused" | ModelBlocker;

/** What becomes of a launch that is tried now. Without `position` it is new. */
export function verdictOf(model: Model, wanted: Wanted & { readonly position?: number }): Verdict {
  const account = found(model.accounts, wanted.account);
  const type = found(model.types, wanted.type);
  if (model.revokedTokens.has(wanted.token)) return "refused";
  if (wanted.key !== undefined && !account.keys.has(wanted.key)) return "refused";
  if (account.spendsNothing) return "spend-limit";
  if (wanted.mostCents !== undefined && centsOf(type, wanted) > wanted.mostCents) return "price";
  if (!hasPlaces(model, wanted)) return "capacity";
  return isWithinQuotas(model, wanted) ? "placeable" : "quota";
}

function centsOf(type: ModelType, { spot }: Wanted): number {
  if (!spot) return type.cents;
  if (type.spotCents === undefined) throw new Error(`BUG: a spot launch of ${type.name}, which has no spot price`);
  return type.spotCents;
}

/** Whether one that waits comes before another launch: spot behind all that is not. */
export function isBefore(one: ModelLaunch, other: Wanted & { readonly position?: number }): boolean {
  if (one.spot !== other.spot) return other.spot;
  return one.position < (other.position ?? Number.POSITIVE_INFINITY);
}

/** Whether it may take capacity of this host at all: no earlier launch that waits for capacity could use it, or has it kept. */
export function mayUse(model: Model, wanted: Wanted & { readonly position?: number }, host: ModelHost): boolean {
  const position = wanted.position ?? Number.POSITIVE_INFINITY;
  if (!host.accepts || !suits(wanted, host)) return false;
  for (const other of model.launches.values()) {
    if (other.blockedBy !== "capacity" || !isBefore(other, wanted)) continue;
    if (isOverBefore(model, wanted, other)) continue;
    if (suits(other, host) && timesFit(model, host, found(model.types, other.type)) > 0) return false;
  }
  const { kept } = host;
  if (kept === undefined) return true;
  if (wanted.spot) return false;
  if (kept.position >= position) return true;
  return kept.fromMs !== undefined && endsMsOf(wanted) <= kept.fromMs;
}

function endsMsOf({ lifetimeSeconds: seconds }: Wanted): number {
  return seconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + mostBootMs + seconds * 1000;
}

/**
 * Whether it surely ends before the first of those that need the same as this earlier one is expected to fit, and so is not
 * in the way of any of them; but one of them that would end before then too has its turn first.
 */
function isOverBefore(model: Model, wanted: Wanted, earlier: ModelLaunch): boolean {
  const startsMs = firstOfKind(model, earlier).startsMs ?? 0;
  if (wanted.spot || endsMsOf(wanted) > startsMs) return false;
  return firstOfKind(model, earlier).id === earlier.id || endsMsOf(earlier) > startsMs;
}

/** Of those that wait for capacity and need the same as this one, which is one of them. */
function firstOfKind(model: Model, launch: ModelLaunch): ModelLaunch {
  return [...model.launches.values()]
    .filter((one) => one.blockedBy === "capacity" && isSameKind(one, launch))
    .reduce((a, b) => (a.position < b.position ? a : b), launch);
}

/** Whether they need the same of a host. */
export function isSameKind(one: Wanted, other: Wanted): boolean {
  return one.type === other.type && one.spot === other.spot && one.region === other.region && one.rack === other.rack;
}

/** How many instances of the type the host has capacity for. */
export function timesFit(model: Model, host: ModelHost, type: ModelType): number {
  if (type.gpuModel !== undefined && type.gpuModel !== host.gpuModel) return 0;
  const free = freeOn(model, host);
  const limits = [
    Math.floor(free.vcpus / type.vcpus),
    Math.floor(free.memoryGib / type.memoryGib),
    Math.floor(free.storageGb / type.storageGb),
    ...(type.gpuModel === undefined ? [] : [Math.floor(free.gpus.length / type.gpus)]),
  ];
  return Math.min(...limits);
}

export function freeOn(model: Model, host: ModelHost) {
  const here = [...model.instances.values()].filter((one) => one.host === host.name);
  const left = (of: "vcpus" | "memoryGib" | "storageGb") =>
    here.reduce((rest, one) => rest - found(model.types, one.type)[of], host[of]);
  const held = new Set(here.flatMap(({ gpus }) => gpus));
  const gpus = [...host.gpus].flatMap(([address, isQuarantined]) =>
    isQuarantined || held.has(address) ? [] : [address],
  );
  return { vcpus: left("vcpus"), memoryGib: left("memoryGib"), storageGb: left("storageGb"), gpus };
}

export function usedBy(model: Model, account: string) {
  const own = [...model.instances.values()].filter((one) => one.account === account);
  const sum = (of: "gpus" | "vcpus") => own.reduce((all, one) => all + found(model.types, one.type)[of], 0);
  return { instances: own.length, gpus: sum("gpus"), vcpus: sum("vcpus") };
}

/** How many launches come before a waiting one that wait for capacity of the same kind where it could be. */
export function aheadOf(model: Model, launch: ModelLaunch): number {
  const kindOf = (one: ModelLaunch) => found(model.types, one.type).gpuModel;
  return [...model.launches.values()].filter(
    (one) =>
      one.blockedBy === "capacity" &&
      isBefore(one, launch) &&
      kindOf(one) === kindOf(launch) &&
      (one.region === undefined || launch.region === undefined || one.region === launch.region),
  ).length;
}

/** Whether no other one before it waits for exactly the same. */
export function isFirstOfItsKind(model: Model, launch: ModelLaunch): boolean {
  return firstOfKind(model, launch).id === launch.id;
}

/** Whether it is its turn, of those that need the same: it is the first, or the first that ends before that one fits. */
export function hasItsTurn(model: Model, launch: ModelLaunch): boolean {
  const first = firstOfKind(model, launch);
  const endsInTime = (one: ModelLaunch) => !one.spot && endsMsOf(one) <= (first.startsMs ?? 0);
  const isEarlier = (one: ModelLaunch) =>
    one.blockedBy === "capacity" && isSameKind(one, launch) && one.id !== first.id && one.position < launch.position;
  if (first.id === launch.id) return true;
  return endsInTime(launch) && ![...model.launches.values()].some((one) => isEarlier(one) && endsInTime(one));
}

/** Whether the whole fleet without instances would be enough for it. */
export function couldEverFit(model: Model, wanted: Wanted): boolean {
  const empty = { ...model, instances: new Map(), launches: new Map() };
  return hasPlaces(empty, { ...wanted, spot: false, position: -1 });
}

/** Whether hosts have room for all of it in one region, of which nothing is kept from it. */
export function hasPlaces(model: Model, wanted: Wanted & { readonly position?: number }): boolean {
  const type = found(model.types, wanted.type);
  const byRegion = new Map<string, number>();
  for (const host of model.hosts.values()) {
    if (!mayUse(model, wanted, host)) continue;
    byRegion.set(host.region, (byRegion.get(host.region) ?? 0) + timesFit(model, host, type));
  }
  return [...byRegion.values()].some((times) => times >= wanted.quantity);
}

export function isWithinQuotas(model: Model, { account, type, quantity }: Wanted): boolean {
  const { quotas } = found(model.accounts, account);
  const used = usedBy(model, account);
  const { gpus, vcpus } = found(model.types, type);
  const fits = (more: number, before: number, most: number) => more === 0 || before + more <= most;
  return (
    fits(quantity, used.instances, quotas.instances) &&
    fits(quantity * gpus, used.gpus, quotas.gpus) &&
    fits(quantity * vcpus, used.vcpus, quotas.vcpus)
  );
}

export function isWaitingForCapacity(model: Model, id: string): boolean {
  return model.launches.get(id)?.blockedBy === "capacity";
}

/** Whether the host is where it asked to be. */
export function suits({ region, rack }: Wanted, host: ModelHost): boolean {
  return (region === undefined || region === host.region) && (rack === undefined || rack === host.rack);
}

export function found<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const value = map.get(key);
  if (value === undefined) throw new Error(`BUG: the model has no ${String(key)}`);
  return value;
}

/** The map with one more, or another one. */
export function put<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

/** As if these instances were gone. */
export function withoutInstances(model: Model, gone: readonly ModelInstance[]): Model {
  const instances = new Map(model.instances);
  for (const { id } of gone) instances.delete(id);
  return { ...model, instances };
}

export function without<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  const left = new Map(map);
  left.delete(key);
  return left;
}
