// Hosts in the order in which launches should use them, in memory and kept sorted, so that the next best host is found
// without a scan: the host that is left least fragmented first. The only definition of this order. Maintained by
// cache.ts; locked hosts are filled in the order of `comparator` too.
//
// Hosts that stand alike but for their vCPUs and names are one group. There are a few dozen groups however many hosts, and
// within a group hosts with too few vCPUs are skipped at once.

import type { RegionCapacity } from "../errors.ts";
import { fitsSelector, type HostSelector } from "../hosts/labels.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Earmark, Line } from "./line.ts";
import type { NeedsPerGpu } from "./needs-per-gpu.ts";
import type { PromisedRoom } from "./promised.ts";
import { type GpuPool, howManyFit, type Room } from "./requirements.ts";

/** A schedulable host in the capacity cache. */
export interface OrderedHost extends PromisedRoom {
  readonly name: string;
  readonly engine: string;
  readonly region: string;
  /** Undefined: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** The driver branch of its fabric manager. Undefined: none, or not known. */
  readonly driverBranch?: string | undefined;
  /** Undefined: it is kept for no waiting launch. */
  readonly earmark?: Earmark | undefined;
}

/**
 * A placement constraint: this engine, this host, one of these, not the excepted one, these labels, and no fabric manager
 * of another driver branch, each if given.
 */
export interface HostBound {
  readonly engine?: string | undefined;
  readonly host?: string | undefined;
  readonly among?: readonly string[] | undefined;
  readonly except?: string | undefined;
  readonly labels?: HostSelector | undefined;
  readonly driverBranch?: string | undefined;
}

/** What determines a host's position, for a GPU model or none, and is the same for many hosts. */
interface Standing {
  /** Whether all its GPUs of the model are free. */
  readonly isWhole: boolean;
  /** Free GPUs that the host's free vCPUs and memory suffice for, by what types of the model usually take. */
  readonly rentable: number;
  /** Free GPUs of the model; without a model: of all models. */
  readonly gpus: number;
  /** The most free GPUs of the model in one NUMA node. */
  readonly inOneNode: number;
}

/** Hosts of one standing: those with the fewest free vCPUs first, then by name. */
interface Group {
  readonly standing: Standing;
  readonly hosts: OrderedHost[];
}

export class HostOrder {
  /** The waiting launches that hold capacity, as of the last refresh. */
  lines: readonly Line[] = [];
  #needs: ReadonlyMap<string, NeedsPerGpu> = new Map();
  /** By region, then by GPU model; under "" all hosts, by their free GPUs of all models. Sorted by standing. */
  readonly #groups = new Map<string, Map<string, Group[]>>();

  /** What free GPUs usually need of their hosts, by model. */
  useNeeds(needs: ReadonlyMap<string, NeedsPerGpu>): void {
    const hosts = [...this.#groups.values()].flatMap((models) =>
      (models.get("") ?? []).flatMap((group) => group.hosts),
    );
    this.#groups.clear();
    this.#needs = needs;
    this.addAll(hosts);
  }

  /** Many at once: sorted first, so that each goes to the end of its group, and 100,000 take no longer than they must. */
  addAll(hosts: readonly OrderedHost[]): void {
    for (const host of hosts.toSorted(compareWithinGroup)) this.add(host);
  }

  add(host: OrderedHost): void {
    for (const model of listsOf(host)) {
      const models = this.#groups.get(host.region) ?? new Map<string, Group[]>();
      this.#groups.set(host.region, models);
      const groups = models.get(model) ?? [];
      models.set(model, groups);
      const standing = this.#standingOf(host, model);
      const place = lowerBound(groups, (group) => compareStandings(group.standing, standing) >= 0);
      const known = groups[place];
      if (known !== undefined && compareStandings(known.standing, standing) === 0) {
        known.hosts.splice(placeIn(known.hosts, host), 0, host);
      } else groups.splice(place, 0, { standing, hosts: [host] });
    }
  }

  /** `host` as it was added. */
  remove(host: OrderedHost): void {
    for (const model of listsOf(host)) {
      const groups = this.#groups.get(host.region)?.get(model) ?? [];
      const standing = this.#standingOf(host, model);
      const at = lowerBound(groups, (group) => compareStandings(group.standing, standing) >= 0);
      const group = groups[at];
      const place = placeIn(group?.hosts ?? [], host);
      if (group?.hosts[place]?.name !== host.name) throw new Error(`BUG: host ${host.name} is not where it was put`);
      group.hosts.splice(place, 1);
      if (group.hosts.length === 0) groups.splice(at, 1);
    }
  }

  /** Hosts of the region with capacity for the type, best first. Do not add or remove hosts during iteration. */
  *bestFirst(region: string, product: InstanceType, bound?: HostBound): Generator<OrderedHost> {
    const groups = (this.#groups.get(region)?.get(product.gpuModel ?? "") ?? []).filter(
      ({ standing }) => standing.gpus >= product.gpus,
    );
    groups.sort((a, b) => compareFor(product, a.standing, b.standing));
    for (const { hosts } of groups) {
      for (
        let place = lowerBound(hosts, ({ freeVcpus }) => freeVcpus >= product.vcpus);
        place < hosts.length;
        place++
      ) {
        const host = hosts[place];
        if (host !== undefined && isWithin(host, bound) && howManyFit(host, product) > 0) yield host;
      }
    }
  }

  /** The order of hosts for the type: negative if `a` comes before `b`. */
  comparator(product: InstanceType): (a: RankedHost, b: RankedHost) => number {
    const model = product.gpuModel ?? "";
    return (a, b) =>
      compareFor(product, this.#standingOf(a, model), this.#standingOf(b, model)) || compareWithinGroup(a, b);
  }

  /** The regions with capacity for the type, the one with the best host first. */
  regions(product: InstanceType, bound?: HostBound): string[] {
    const best = [...this.#groups.keys()].flatMap((region) => {
      const first = this.bestFirst(region, product, bound).next();
      return first.done === true ? [] : [first.value];
    });
    return best.sort(this.comparator(product)).map(({ region }) => region);
  }

  /**
   * How many instances of the type fit in each region, counted up to `upTo`, by name; only regions with capacity. With a
   * constraint, only within it; `roomOf`: what of a host counts.
   */
  capacityByRegion(
    product: InstanceType,
    upTo: number,
    bound?: HostBound,
    roomOf: (host: OrderedHost) => Room = (host) => host,
  ): RegionCapacity[] {
    return this.regions(product, bound)
      .sort()
      .map((region) => {
        let fits = 0;
        for (const host of this.bestFirst(region, product, bound)) {
          fits += howManyFit(roomOf(host), product);
          if (fits >= upTo) break;
        }
        return { region, fits: Math.min(fits, upTo) };
      })
      .filter(({ fits }) => fits > 0);
  }

  /** `model` "": for types without GPUs, which should strand none of any model. */
  #standingOf(room: Room, model: string): Standing {
    if (model !== "") {
      const pool = room.gpus.get(model) ?? noGpus;
      const inOneNode = Math.max(0, ...pool.freeByNode);
      return {
        isWhole: pool.free === pool.total,
        rentable: this.#rentable(room, model, pool),
        gpus: pool.free,
        inOneNode,
      };
    }
    let [rentable, gpus] = [0, 0];
    for (const [name, pool] of room.gpus) {
      rentable += this.#rentable(room, name, pool);
      gpus += pool.free;
    }
    return { isWhole: false, rentable, gpus, inOneNode: 0 };
  }

  #rentable(room: Room, model: string, { free }: GpuPool): number {
    const needs = this.#needs.get(model);
    if (needs === undefined) return free;
    return Math.min(free, Math.floor(room.freeVcpus / needs.vcpus), Math.floor(room.freeMemoryGib / needs.memoryGib));
  }
}

/** A host and its free capacity, to be compared. */
type RankedHost = Room & { readonly name: string };

const noGpus: GpuPool = { total: 0, free: 0, freeByNode: [] };

/**
 * Hosts that a launch would break first come last. Then those whose NUMA nodes it would be split over: their GPUs are
 * left to smaller ones. Then the fewest rentable GPUs, so that what stays free is of use.
 */
function compareFor(product: InstanceType, a: Standing, b: Standing): number {
  return (
    Number(a.isWhole) - Number(b.isWhole) ||
    Number(a.inOneNode < product.gpus) - Number(b.inOneNode < product.gpus) ||
    compareStandings(a, b)
  );
}

function compareStandings(a: Standing, b: Standing): number {
  return (
    Number(a.isWhole) - Number(b.isWhole) || a.rentable - b.rentable || a.gpus - b.gpus || a.inOneNode - b.inOneNode
  );
}

/** The fullest first. */
function compareWithinGroup(a: RankedHost, b: RankedHost): number {
  return a.freeVcpus - b.freeVcpus || compareNames(a.name, b.name);
}

/** Whether the host satisfies a constraint, if any. */
export function isWithin(
  host: Pick<OrderedHost, "name" | "engine" | "labels" | "driverBranch">,
  bound: HostBound | undefined,
): boolean {
  if (bound === undefined) return true;
  return (
    (bound.engine === undefined || host.engine === bound.engine) &&
    (bound.host === undefined || host.name === bound.host) &&
    host.name !== bound.except &&
    (bound.among === undefined || bound.among.includes(host.name)) &&
    (bound.driverBranch === undefined || (host.driverBranch ?? bound.driverBranch) === bound.driverBranch) &&
    (bound.labels === undefined || fitsSelector(host.labels ?? {}, bound.labels))
  );
}

/** The models that the host has free GPUs of, and "". */
function* listsOf(host: OrderedHost): Generator<string> {
  yield "";
  for (const [model, { free }] of host.gpus) if (free > 0) yield model;
}

function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The host's index, existing or not. */
function placeIn(hosts: readonly OrderedHost[], host: OrderedHost): number {
  return lowerBound(hosts, (other) => compareWithinGroup(other, host) >= 0);
}

/** The first index for which `holds`, which holds for all later ones too. */
function lowerBound<T>(list: readonly T[], holds: (entry: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = list[middle];
    if (entry !== undefined && holds(entry)) high = middle;
    else low = middle + 1;
  }
  return low;
}
