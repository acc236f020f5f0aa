// Assigns the instances of a launch to locked hosts of one region, best first, and to GPUs on each. Computes only. Used
// by reserve-together.ts and placement.ts, which lock the hosts.

import { type RegionCapacity, RentalError } from "../errors.ts";
import type { Binding } from "../file-systems/common-place.ts";
import type { InstanceType } from "../instances/instance.ts";
import { chooseGpus } from "./choose-gpus.ts";
import type { LockedHost } from "./host-lock.ts";
import { type HostOrder, isWithin } from "./host-order.ts";
import { fill, howManyFit } from "./requirements.ts";

/** The place of one instance. */
export interface Assignment {
  readonly instanceId: string;
  readonly engine: string;
  readonly host: string;
  readonly region: string;
  readonly gpuAddresses: readonly string[];
}

/**
 * Capacity for `product`, once for each instance id, in `region` (undefined: the best one). If it is bound to a place,
 * only there, and the region is that place's.
 */
export interface PlacementRequest {
  readonly product: InstanceType;
  readonly region: string | undefined;
  readonly instanceIds: readonly string[];
  readonly bound?: Binding | undefined;
}

/** A placement request with its places. */
export interface Held<W extends PlacementRequest> {
  readonly want: W;
  /** One per instance, all in one region. */
  readonly places: readonly Assignment[];
}

/** The error for a request without capacity. */
export function insufficientCapacityFor(
  { product, region, instanceIds, bound }: PlacementRequest,
  regionsWithCapacity: readonly RegionCapacity[],
): RentalError {
  return new RentalError("insufficient-capacity", {
    instanceType: product.name,
    region: region ?? "any",
    quantity: instanceIds.length,
    regionsWithCapacity,
    ...(bound?.host !== undefined && { bound: { fileSystem: bound.fileSystem } }),
  });
}

/** Places for the request on locked hosts of one region, best first by `order`; undefined if no region has enough. */
export function placesFor(
  { product, region: asked, instanceIds, bound }: PlacementRequest,
  hosts: readonly LockedHost[],
  order: HostOrder,
): readonly Assignment[] | undefined {
  const compare = order.comparator(product);
  const best = hosts
    .filter((host) => (asked === undefined || host.region === asked) && isWithin(host, bound))
    .filter((host) => howManyFit(host, product) > 0)
    .sort(compare);
  for (const region of new Set(best.map((host) => host.region))) {
    const inRegion = best.filter((one) => one.region === region);
    const taken = fill(inRegion, (host) => host, product, instanceIds.length);
    if (taken === undefined) continue;
    const ids = [...instanceIds];
    return [...taken].flatMap(([host, here]) => placesOn(host, product, ids.splice(0, here)));
  }
  return undefined;
}

/** Places on a host that has enough capacity. */
function placesOn(host: LockedHost, product: InstanceType, instanceIds: readonly string[]): Assignment[] {
  let free = host.freeGpus.filter((gpu) => gpu.model === product.gpuModel);
  return instanceIds.map((instanceId) => {
    const gpuAddresses = product.gpus === 0 ? [] : chooseGpus(free, product.gpus);
    free = free.filter((gpu) => !gpuAddresses.includes(gpu.address));
    return { instanceId, engine: host.engine, host: host.name, region: host.region, gpuAddresses };
  });
}
