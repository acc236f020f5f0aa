// Which spot instances to evict so that a launch fits: the set that costs the fewest GPUs, and of those the youngest one.
// Computes only, and exactly: choose-evictions.test.ts compares it with all sets there are. Used by plan.ts.
//
// Invariant: the set is minimal: without any of its instances the launch would not fit. An instance under notice costs
// nothing more, so that a choice that was made once stays while it is of use.
//
// How often a launch fits on a host depends on that host alone, and costs add up. So the cheapest sets for one, two and more
// instances are looked for host by host, and then combined. Instances that give a host the same are one class, of which the
// youngest are taken; those without GPUs are left out one by one, the oldest first.
//
// What is promised to reservations is left to them (capacity/promised.ts). Evictions make room for a launch without end: how
// much time is left before a reservation begins when they are over is not known.

import type { LockedHost } from "../capacity/host-lock.ts";
import { roomUntil } from "../capacity/promised.ts";
import { howManyFit, type Needs } from "../capacity/requirements.ts";
import { type Evictable, type EvictionHost, roomAfter } from "./evictable.ts";

/** A launch that evictions make room for. */
export interface Wanted {
  readonly product: Needs;
  readonly quantity: number;
  /** When its instances would end at the latest if it were placed now, in milliseconds since 1970; undefined: not known. */
  readonly endsMs?: number | undefined;
}

/** Instances of the launch on one host, and what is evicted there for them. */
export interface ChosenHost {
  readonly host: EvictionHost;
  readonly times: number;
  readonly evicted: readonly Evictable[];
}

/**
 * Hosts of one region for all of the quantity, and what to evict on each; undefined: it does not fit whatever is evicted.
 * Of choices that cost the same, the first hosts.
 */
export function chooseEvictions(wanted: Wanted, hosts: readonly EvictionHost[]): readonly ChosenHost[] | undefined {
  let best: Choice | undefined;
  for (const inRegion of Map.groupBy(hosts, ({ region }) => region).values()) {
    const choice = bestIn(wanted, inRegion);
    if (choice !== undefined && (best === undefined || compareCosts(choice.cost, best.cost) < 0)) best = choice;
  }
  return best?.hosts;
}

/** What a set of instances costs; the smaller, the better, in this order. */
interface Cost {
  /** GPUs of instances that are not under notice. */
  readonly newGpus: number;
  /** The positions of these instances, the oldest first. */
  readonly new: readonly number[];
  readonly gpus: number;
  readonly all: readonly number[];
}

interface Choice {
  readonly cost: Cost;
  readonly hosts: readonly ChosenHost[];
}

const nothing: Choice = { cost: costOf([]), hosts: [] };

function costOf(evicted: readonly Evictable[]): Cost {
  const fresh = evicted.filter(({ isUnderNotice }) => !isUnderNotice);
  const gpusOf = (some: readonly Evictable[]) => some.reduce((sum, { gpuCount }) => sum + gpuCount, 0);
  const positionsOf = (some: readonly Evictable[]) => some.map(({ position }) => position).sort((a, b) => a - b);
  return { newGpus: gpusOf(fresh), new: positionsOf(fresh), gpus: gpusOf(evicted), all: positionsOf(evicted) };
}

function compareCosts(a: Cost, b: Cost): number {
  return a.newGpus - b.newGpus || compareAges(a.new, b.new) || a.gpus - b.gpus || compareAges(a.all, b.all);
}

/** The set is better whose oldest instance is younger, and of sets with the same oldest one by the others. */
function compareAges(a: readonly number[], b: readonly number[]): number {
  for (const [index, position] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (position !== other) return other - position;
  }
  return a.length - b.length;
}

/** Adding the same to both of two costs does not change their order, so the parts of a best choice are best choices. */
function plus(a: Cost, b: Cost): Cost {
  return {
    newGpus: a.newGpus + b.newGpus,
    new: merged(a.new, b.new),
    gpus: a.gpus + b.gpus,
    all: merged(a.all, b.all),
  };
}

function merged(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length === 0) return b;
  return b.length === 0 ? a : [...a, ...b].sort((one, other) => one - other);
}

/** Host by host, the best choice for each number of instances so far. */
function bestIn(wanted: Wanted, hosts: readonly EvictionHost[]): Choice | undefined {
  const { quantity } = wanted;
  const best: (Choice | undefined)[] = [nothing];
  for (const host of hosts) {
    const options = optionsOf(host, wanted);
    for (let sum = quantity; sum > 0; sum--) {
      for (const [index, option] of options.entries()) {
        const before = best[sum - index - 1];
        if (before === undefined) continue;
        const choice = { cost: plus(before.cost, option.cost), hosts: [...before.hosts, ...option.hosts] };
        const known = best[sum];
        if (known === undefined || compareCosts(choice.cost, known.cost) < 0) best[sum] = choice;
      }
    }
  }
  return best[quantity];
}

/** The best choice on the host for one instance, two, and so on, as many as fit. */
function optionsOf(host: EvictionHost, { product, quantity, endsMs }: Wanted): Choice[] {
  const asItIs = howManyFit(roomUntil(host, endsMs), product);
  const atMost = host.evictable.length === 0 ? asItIs : Math.max(asItIs, fitWithout(host, product, host.evictable));
  return Array.from({ length: Math.min(quantity, atMost) }, (_, index) => {
    const times = index + 1;
    const evicted = times <= asItIs ? [] : cheapest(host, product, times);
    return { cost: costOf(evicted), hosts: [{ host, times, evicted }] };
  });
}

/** How many instances without end fit when these are gone. */
function fitWithout(host: LockedHost, product: Needs, gone: readonly Evictable[]): number {
  return howManyFit(roomUntil({ ...roomAfter(host, gone), promised: host.promised }), product);
}

/** The best set with which so many fit on the host, where they fit without all of its spot instances. */
function cheapest(host: EvictionHost, product: Needs, times: number): readonly Evictable[] {
  const { withGpus = [], without = [] } = Object.groupBy(host.evictable, ({ gpuCount }) =>
    gpuCount === 0 ? "without" : "withGpus",
  );
  const onItsOwn = (gone: readonly Evictable[]) => fitWithout(host, product, gone) >= times;
  const emptied = { ...host, ...roomAfter(host, without) };
  /** When all instances without GPUs are gone too. */
  const canFit = (gone: readonly Evictable[]) => fitWithout(emptied, product, gone) >= times;
  const classes = classesOf(host, withGpus);
  let best: { readonly cost: Cost; readonly evicted: readonly Evictable[] } | undefined;
  for (const gone of setsOf(classes, canFit, (cost) => best !== undefined && compareCosts(cost, best.cost) > 0)) {
    const evicted = [...gone, ...needed(without, (some) => onItsOwn([...gone, ...some]))];
    const cost = costOf(evicted);
    if (best === undefined || compareCosts(cost, best.cost) < 0) best = { cost, evicted };
  }
  if (best === undefined) throw new Error("BUG: what fits without all spot instances fits without some");
  return best.evicted;
}

/**
 * Sets of instances with GPUs without which it can fit, among them the best one. What is added to a set makes it worse, so
 * that no set is looked at that contains one that `isWorse` than what is known.
 */
function* setsOf(
  classes: readonly (readonly Evictable[])[],
  canFit: (gone: readonly Evictable[]) => boolean,
  isWorse: (cost: Cost) => boolean,
): Generator<readonly Evictable[]> {
  const [members, ...later] = classes;
  if (members === undefined) return yield [];
  // One under notice costs nothing new, and may spare a new one without GPUs.
  const isNew = classes.every(([one]) => one?.isUnderNotice === false);
  if (isNew && canFit([])) return yield [];
  const rest = later.flat();
  for (let count = 0; count <= members.length; count++) {
    const some = members.slice(0, count);
    if (isWorse(costOf(some))) return;
    if (!canFit([...some, ...rest])) continue;
    const withSome = (gone: readonly Evictable[]) => canFit([...some, ...gone]);
    for (const others of setsOf(later, withSome, (cost) => isWorse(plus(costOf(some), cost))))
      yield [...some, ...others];
  }
}

/**
 * Instances with GPUs that give the host the same, the youngest of each class first. Classes under notice before others, and
 * then those first that are best left out, so that the best sets are soon known.
 */
function classesOf({ partitions }: LockedHost, instances: readonly Evictable[]): readonly (readonly Evictable[])[] {
  const gives = ({ isUnderNotice, vcpus, memoryGib, storageGb, gpuCount, gpus }: Evictable) => {
    const models = gpus.map(({ model, address }) => (partitions.has(model) ? `${model} ${address}` : model)).sort();
    return JSON.stringify([isUnderNotice, vcpus, memoryGib, storageGb, gpuCount, models]);
  };
  return [...Map.groupBy(instances, gives).values()]
    .map((members) => members.toSorted((a, b) => b.position - a.position))
    .sort(([a], [b]) => {
      if (a === undefined || b === undefined) throw new Error("BUG: a class has no member");
      return Number(b.isUnderNotice) - Number(a.isUnderNotice) || a.position - b.position;
    });
}

/** Of instances without GPUs, the youngest that suffice: first as few new ones as possible, then of those under notice. */
function needed(instances: readonly Evictable[], suffice: (some: readonly Evictable[]) => boolean): Evictable[] {
  let left = [...instances];
  const inOrder = instances.toSorted(
    (a, b) => Number(a.isUnderNotice) - Number(b.isUnderNotice) || a.position - b.position,
  );
  for (const one of inOrder) {
    const others = left.filter((other) => other !== one);
    if (suffice(others)) left = others;
  }
  return left;
}
