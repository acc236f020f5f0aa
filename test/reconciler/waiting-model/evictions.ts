// What an exact evictor would have under notice: for all that wait for capacity and are not spot, in order of position, the
// best of all sets of instances that makes each fit. It shares no code with what it judges, and tries all sets there are.
// Used by moves.ts and compare.ts.
//
// One that fits without evictions, and still waits because an earlier one could use its host, takes room of hosts that are
// not known: so there can be several plans, and what is so has to be one of them.

import {
  found,
  freeOn,
  type Model,
  type ModelHost,
  type ModelInstance,
  type ModelLaunch,
  type ModelType,
  suits,
  timesFit,
  withoutInstances,
} from "./model.ts";

/** By launch, the instances that are evicted for it; a launch without an entry is served by none. */
export type EvictionPlan = ReadonlyMap<string, ReadonlySet<string>>;

/** A plan that goes on being made. */
interface Draft {
  readonly plan: EvictionPlan;
  readonly unserved: readonly ModelLaunch[];
  /** Taken of hosts by earlier ones, without evictions there. */
  readonly taken: readonly { readonly host: string; readonly type: ModelType; readonly times: number }[];
  /** By host, the launch that others are kept off for. */
  readonly owners: ReadonlyMap<string, string>;
}

/** More do not differ in what is of interest. */
const mostPlans = 300;

export function plansOf(model: Model): EvictionPlan[] {
  const holders = [...model.launches.values()]
    .filter((one) => !one.spot && one.blockedBy === "capacity")
    .sort((a, b) => a.position - b.position);
  const ids = new Set(holders.map(({ id }) => id));
  const owners = new Map(
    [...model.instances.values()].flatMap(({ host, evictedFor }) =>
      evictedFor === undefined || !ids.has(evictedFor) ? [] : [[host, evictedFor] as const],
    ),
  );
  let drafts: Draft[] = [{ plan: new Map(), unserved: [], taken: [], owners }];
  for (const launch of holders) {
    drafts = drafts.flatMap((draft) => servedIn(model, launch, draft)).slice(0, mostPlans);
  }
  return drafts.map(({ plan }) => plan);
}

/** The best set for the launch if it is alone with what others have under notice; for a message. */
export function describePlans(model: Model): string[] {
  return plansOf(model).map((plan) => JSON.stringify([...plan].map(([id, set]) => [id, [...set]])));
}

function servedIn(model: Model, launch: ModelLaunch, draft: Draft): Draft[] {
  const isBehind = draft.unserved.some((one) => isSameLine(one, launch));
  const hosts = isBehind ? [] : [...model.hosts.values()].filter((host) => isUsable(model, host, launch, draft));
  const choices = bestOf(model, launch, hosts, draft);
  if (choices.length === 0) return [{ ...draft, unserved: [...draft.unserved, launch] }];
  const type = found(model.types, launch.type);
  return choices.map(({ evicted, times }) => {
    const plan = new Map([...draft.plan, [launch.id, new Set(evicted.map(({ id }) => id))]]);
    if (evicted.length > 0) {
      const owners = new Map([...draft.owners, ...[...times.keys()].map((host) => [host, launch.id] as const)]);
      return { ...draft, plan, owners };
    }
    const taken = [...times].map(([host, count]) => ({ host, type, times: count }));
    return { ...draft, plan, taken: [...draft.taken, ...taken] };
  });
}

function isSameLine(a: ModelLaunch, b: ModelLaunch): boolean {
  return a.type === b.type && a.region === b.region && a.rack === b.rack;
}

/** It is of no earlier launch, and no earlier one that is not served could use it if all spot instances there were gone. */
function isUsable(model: Model, host: ModelHost, launch: ModelLaunch, { owners, unserved, taken }: Draft): boolean {
  const owner = owners.get(host.name);
  if (!host.accepts || !suits(launch, host)) return false;
  if (owner !== undefined && owner !== launch.id && !isOfLater(model, owner, launch)) return false;
  if (host.kept !== undefined && host.kept.position < launch.position) return false;
  const all = spotOn(model, host);
  return !unserved.some(
    (one) => suits(one, host) && timesAfter(model, host, found(model.types, one.type), all, taken) > 0,
  );
}

/** What is free there already is its own, and nothing is evicted there for it. */
function isOfLater(model: Model, owner: string | undefined, launch: ModelLaunch): boolean {
  return owner !== undefined && owner !== launch.id && found(model.launches, owner).position > launch.position;
}

function spotOn(model: Model, host: ModelHost): ModelInstance[] {
  return [...model.instances.values()].filter((one) => one.spot && one.host === host.name);
}

/** How often the type fits when these are gone and earlier ones have what they take. */
function timesAfter(
  model: Model,
  host: ModelHost,
  type: ModelType,
  gone: readonly ModelInstance[],
  taken: Draft["taken"],
): number {
  const left = withoutInstances(model, gone);
  const here = taken.filter((one) => one.host === host.name);
  if (here.length === 0) return timesFit(left, host, type);
  if (type.gpuModel !== undefined && type.gpuModel !== host.gpuModel) return 0;
  const free = freeOn(left, host);
  const minus = (of: "vcpus" | "memoryGib" | "storageGb" | "gpus") =>
    here.reduce((sum, { type: other, times }) => sum + other[of] * times, 0);
  return Math.min(
    Math.floor((free.vcpus - minus("vcpus")) / type.vcpus),
    Math.floor((free.memoryGib - minus("memoryGib")) / type.memoryGib),
    Math.floor((free.storageGb - minus("storageGb")) / type.storageGb),
    type.gpuModel === undefined ? Number.POSITIVE_INFINITY : Math.floor((free.gpus.length - minus("gpus")) / type.gpus),
  );
}

interface Choice {
  readonly evicted: readonly ModelInstance[];
  /** By host, instances of the launch there. */
  readonly times: ReadonlyMap<string, number>;
}

/** The choices with the best set; several, if the launch can be spread over hosts in several ways. */
function bestOf(model: Model, launch: ModelLaunch, hosts: readonly ModelHost[], { taken, owners }: Draft): Choice[] {
  const type = found(model.types, launch.type);
  let best: Choice[] = [];
  for (const region of new Set(hosts.map((host) => host.region))) {
    const options = hosts
      .filter((host) => host.region === region)
      .map((host) => {
        const evictable = isOfLater(model, owners.get(host.name), launch) ? [] : spotOn(model, host);
        return { host, sets: bestSets(model, host, type, { most: launch.quantity, taken, evictable }) };
      });
    for (const choice of spread(options, launch.quantity)) {
      const [known] = best;
      const order = known === undefined ? -1 : compare(choice.evicted, known.evicted);
      if (order < 0) best = [choice];
      else if (order === 0) best.push(choice);
    }
  }
  return best;
}

interface Option {
  readonly host: ModelHost;
  /** The best set for one instance, two, and so on. */
  readonly sets: readonly (readonly ModelInstance[])[];
}

function* spread([option, ...rest]: readonly Option[], quantity: number): Generator<Choice> {
  if (quantity === 0) return yield { evicted: [], times: new Map() };
  if (option === undefined) return;
  yield* spread(rest, quantity);
  for (const [index, set] of option.sets.slice(0, quantity).entries()) {
    for (const { evicted, times } of spread(rest, quantity - index - 1)) {
      yield { evicted: [...set, ...evicted], times: new Map([...times, [option.host.name, index + 1]]) };
    }
  }
}

function bestSets(
  model: Model,
  host: ModelHost,
  type: ModelType,
  {
    most,
    taken,
    evictable,
  }: { readonly most: number; readonly taken: Draft["taken"]; readonly evictable: readonly ModelInstance[] },
): (readonly ModelInstance[])[] {
  const best: (readonly ModelInstance[])[] = [];
  for (const set of subsets(evictable)) {
    const times = Math.min(most, timesAfter(model, host, type, set, taken));
    for (let count = 0; count < times; count++) {
      const known = best[count];
      if (known === undefined || compare(set, known) < 0) best[count] = set;
    }
  }
  return best;
}

function subsets<T>([first, ...rest]: readonly T[]): T[][] {
  if (first === undefined) return [[]];
  const others = subsets(rest);
  return [...others, ...others.map((set) => [first, ...set])];
}

/** Negative: the first set is better. Those under notice cost nothing new, whichever launch it is for. */
function compare(a: readonly ModelInstance[], b: readonly ModelInstance[]): number {
  const fresh = (set: readonly ModelInstance[]) => set.filter(({ evictedFor }) => evictedFor === undefined);
  const gpus = (set: readonly ModelInstance[]) => set.reduce((sum, one) => sum + one.gpus.length, 0);
  return gpus(fresh(a)) - gpus(fresh(b)) || older(fresh(a), fresh(b)) || gpus(a) - gpus(b) || older(a, b);
}

/** Positive: the oldest that only one of them has is in the first. */
function older(a: readonly ModelInstance[], b: readonly ModelInstance[]): number {
  const only = [...a.filter((one) => !b.includes(one)), ...b.filter((one) => !a.includes(one))];
  const [oldest] = only.sort((one, other) => one.position - other.position);
  if (oldest === undefined) return 0;
  return a.includes(oldest) ? 1 : -1;
}
