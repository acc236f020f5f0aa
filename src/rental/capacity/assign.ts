// Which place each instance of a launch gets on hosts that are locked: the hosts of one region, the best first, and GPUs on
// each. Computes only. Used by reserve-together.ts and placement.ts, which lock the hosts.

import { type RegionCapacity, RentalError } from "../errors.ts";
import type { Binding } from "../file-systems/common-place.ts";
import type { InstanceType } from "../instances/instance.ts";
import { chooseGpus } from "./choose-gpus.ts";
import type { LockedHost } from "./host-lock.ts";
import { compareStandings, isWithin, rankOf } from "./host-order.ts";
import { fill, howManyFit } from "./requirements.ts";

/** Where one instance will be. */
export interface Assignment {
  readonly instanceId: string;
  readonly engine: string;
  readonly host: string;
  readonly region: string;
  readonly gpuAddresses: readonly string[];
}

/**
 * What is wanted: room for `product`, once for each instance id, in `region` (undefined: in the best one). Where it is
 * bound to a place, only there, and then the region is that place's.
 */
export interface PlacementRequest {
  readonly product: InstanceType;
  readonly region: string | undefined;
  readonly instanceIds: readonly string[];
  readonly bound?: Binding | undefined;
}

/** A want that has its places. */
export interface Held<W extends PlacementRequest> {
  readonly want: W;
  /** One for each instance, all in one region. */
  readonly places: readonly Assignment[];
}

/** How a want is refused for which there is no room. */
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

/** Places for the want on locked hosts of one region, the best first; undefined where no region has enough. */
export function placesFor(
  { product, region: asked, instanceIds, bound }: PlacementRequest,
  hosts: readonly LockedHost[],
): readonly Assignment[] | undefined {
  const standing = ({ name, room }: LockedHost) => rankOf(name, room, product.gpuModel);
  const best = hosts
    .filter((host) => (asked === undefined || host.region === asked) && isWithin(host, bound))
    .filter(({ room }) => howManyFit(room, product) > 0)
    .sort((a, b) => compareStandings(standing(a), standing(b)));
  for (const region of new Set(best.map((host) => host.region))) {
    const inRegion = best.filter((one) => one.region === region);
    const taken = fill(inRegion, ({ room }) => room, product, instanceIds.length);
    if (taken === undefined) continue;
    const ids = [...instanceIds];
    return [...taken].flatMap(([host, here]) => placesOn(host, product, ids.splice(0, here)));
  }
  return undefined;
}

/** Places on the host, which has room for so many. */
function placesOn(host: LockedHost, product: InstanceType, instanceIds: readonly string[]): Assignment[] {
  let free = host.freeGpus.filter((gpu) => gpu.model === product.gpuModel);
  return instanceIds.map((instanceId) => {
    const gpuAddresses = product.gpus === 0 ? [] : chooseGpus(free, product.gpus);
    free = free.filter((gpu) => !gpuAddresses.includes(gpu.address));
    return { instanceId, engine: host.engine, host: host.name, region: host.region, gpuAddresses };
  });
}
