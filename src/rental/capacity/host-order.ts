// Hosts in the order in which launches should use them, in memory and kept sorted, so that the next best host is found
// without a scan: the host that is left least fragmented first. The only definition of this order. Maintained by
// cache.ts; locked hosts are filled in the order of `compareStandings` too.

import type { RegionCapacity } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import { howManyFit, type Room } from "./requirements.ts";

/** A schedulable host in the capacity cache. */
export interface OrderedHost extends Room {
  readonly name: string;
  readonly engine: string;
  readonly region: string;
}

/** A placement constraint: this engine, and this host if given. */
export interface HostBound {
  readonly engine: string;
  readonly host: string | undefined;
}

/** What determines a host's position, for a GPU model or none. */
export interface HostRank {
  /** Free GPUs of the model; without a model: of all models. */
  readonly gpus: number;
  readonly freeVcpus: number;
  readonly name: string;
}

/** Fewest free GPUs first, so that whole hosts stay whole and instances without GPUs strand none; then the fullest. */
export function compareStandings(a: HostRank, b: HostRank): number {
  return a.gpus - b.gpus || a.freeVcpus - b.freeVcpus || compareNames(a.name, b.name);
}

/** `model` null: without GPUs. */
export function rankOf(name: string, room: Room, model: string | null): HostRank {
  let gpus = model === null ? 0 : (room.freeGpus.get(model) ?? 0);
  if (model === null) for (const count of room.freeGpus.values()) gpus += count;
  return { gpus, freeVcpus: room.freeVcpus, name };
}

/** A host's entry in one list. */
interface Entry extends HostRank {
  readonly host: OrderedHost;
}

export class HostOrder {
  /** By region, then by GPU model; under "" all hosts, by their free GPUs of all models. */
  readonly #lists = new Map<string, Map<string, Entry[]>>();

  add(host: OrderedHost): void {
    for (const [model, entry] of entriesOf(host)) {
      const models = this.#lists.get(host.region) ?? new Map<string, Entry[]>();
      this.#lists.set(host.region, models);
      const list = models.get(model) ?? [];
      models.set(model, list);
      list.splice(placeOf(list, entry), 0, entry);
    }
  }

  /** `host` as it was added. */
  remove(host: OrderedHost): void {
    for (const [model, entry] of entriesOf(host)) {
      const list = this.#lists.get(host.region)?.get(model) ?? [];
      const place = placeOf(list, entry);
      if (list[place]?.host.name !== host.name) throw new Error(`BUG: host ${host.name} is not where it was put`);
      list.splice(place, 1);
    }
  }

  /** Hosts of the region with capacity for the type, best first. Do not add or remove hosts during iteration. */
  *bestFirst(region: string, product: InstanceType, bound?: HostBound): Generator<OrderedHost> {
    const list = this.#lists.get(region)?.get(product.gpuModel ?? "") ?? [];
    const first = list.length === 0 ? 0 : lowerBound(list, (entry) => entry.gpus >= product.gpus);
    for (let place = first; place < list.length; place++) {
      const host = list[place]?.host;
      if (host !== undefined && isWithin(host, bound) && howManyFit(host, product) > 0) yield host;
    }
  }

  /** The regions with capacity for the type, the one with the best host first. */
  regions(product: InstanceType, bound?: HostBound): string[] {
    const best = [...this.#lists.keys()].flatMap((region) => {
      const first = this.bestFirst(region, product, bound).next();
      return first.done === true ? [] : [entryOf(first.value, product.gpuModel)];
    });
    return best.sort(compareStandings).map(({ host }) => host.region);
  }

  /** How many instances of the type fit in each region, counted up to `upTo`, by name; only regions with capacity. */
  capacityByRegion(product: InstanceType, upTo: number): RegionCapacity[] {
    return this.regions(product)
      .sort()
      .map((region) => {
        let fits = 0;
        for (const host of this.bestFirst(region, product)) {
          fits += howManyFit(host, product);
          if (fits >= upTo) break;
        }
        return { region, fits: Math.min(fits, upTo) };
      });
  }
}

/** Whether the host satisfies a constraint, if any. */
export function isWithin(host: Pick<OrderedHost, "name" | "engine">, bound: HostBound | undefined): boolean {
  if (bound === undefined) return true;
  return host.engine === bound.engine && (bound.host === undefined || host.name === bound.host);
}

function* entriesOf(host: OrderedHost): Generator<[string, Entry]> {
  yield ["", entryOf(host, null)];
  for (const [model, count] of host.freeGpus) if (count > 0) yield [model, entryOf(host, model)];
}

function entryOf(host: OrderedHost, model: string | null): Entry {
  return { ...rankOf(host.name, host, model), host };
}

function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The entry's index, existing or not. */
function placeOf(list: readonly Entry[], entry: Entry): number {
  return lowerBound(list, (other) => compareStandings(other, entry) >= 0);
}

/** The first index for which `holds`, which holds for all later ones too. */
function lowerBound(list: readonly Entry[], holds: (entry: Entry) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = list[middle];
    if (entry !== undefined && holds(entry)) high = middle;
    else low = middle + 1;
  }
  return low;
}
