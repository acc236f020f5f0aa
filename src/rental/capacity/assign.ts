// Assigns the instances of a launch to locked hosts of one region, best first, and to GPUs on each. Computes only. Used
// by reserve-together.ts and placement.ts, which lock the hosts, and by spot/, which plans with them.

import { type RegionCapacity, RentalError } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import { chooseGpus } from "./choose-gpus.ts";
import { choosePartition, fitsOf } from "./gpu-partitions.ts";
import type { LockedHost, LockedHosts, Partitions } from "./host-lock.ts";
import { type HostBound, type HostOrder, isWithin } from "./host-order.ts";
import { roomFor, type Turn } from "./line.ts";
import { afterTaking } from "./promised.ts";
import { fill, howManyFit, type Room } from "./requirements.ts";

/** The place of one instance. */
export interface Assignment {
  readonly instanceId: string;
  readonly engine: string;
  readonly host: string;
  readonly region: string;
  readonly gpuAddresses: readonly string[];
}

/** Where a request must be placed, and the file system that binds it to an engine or host. */
export interface Constraint extends HostBound {
  readonly fileSystem?: string | undefined;
}

/**
 * Capacity for `product`, once for each instance id, in `region` (undefined: the best one). If it is bound to a place,
 * only there, and the region is that place's; if to labels, only on hosts that have them. Nothing that earlier waiting
 * launches could use, or that is promised to reservations.
 */
export interface PlacementRequest extends Turn {
  readonly product: InstanceType;
  readonly region: string | undefined;
  readonly instanceIds: readonly string[];
  readonly bound?: Constraint | undefined;
}

/** A placement request with its places. */
export interface Held<W extends PlacementRequest> {
  readonly want: W;
  /** One per instance, all in one region. */
  readonly places: readonly Assignment[];
}

/** The error for a request without capacity. */
export function insufficientCapacityFor(
  { product, region, instanceIds, bound, reservation }: PlacementRequest,
  regionsWithCapacity: readonly RegionCapacity[],
): RentalError {
  return new RentalError("insufficient-capacity", {
    instanceType: product.name,
    region: region ?? "any",
    quantity: instanceIds.length,
    regionsWithCapacity,
    ...(bound?.host !== undefined && bound.fileSystem !== undefined && { bound: { fileSystem: bound.fileSystem } }),
    ...(bound?.labels !== undefined && { isByLabels: true }),
    ...(reservation !== undefined && { reserved: reservation }),
  });
}

/** Places for the request on locked hosts of one region, best first by `order`; undefined if no region has enough. */
export function placesFor(
  { product, region: asked, instanceIds, bound, ...turn }: PlacementRequest,
  { hosts, lines }: LockedHosts,
  order: HostOrder,
): readonly Assignment[] | undefined {
  const compare = order.comparator(product);
  const best = hosts
    .filter((host) => (asked === undefined || host.region === asked) && isWithin(host, bound))
    .map((host): Offered => ({ host, room: roomFor(host, turn, lines) }))
    .filter(({ room }) => howManyFit(room, product) > 0)
    .sort((one, other) => compare(one.host, other.host));
  for (const region of new Set(best.map(({ host }) => host.region))) {
    const inRegion = best.filter(({ host }) => host.region === region);
    const taken = fill(inRegion, ({ room }) => room, product, instanceIds.length);
    if (taken === undefined) continue;
    const ids = [...instanceIds];
    return [...taken].flatMap(([{ host }, here]) => placesOn(host, product, ids.splice(0, here)));
  }
  return undefined;
}

/** A host, and what of it the request may take. */
interface Offered {
  readonly host: LockedHost;
  readonly room: Room;
}

/** Places on a host that has enough capacity. */
export function placesOn(host: LockedHost, product: InstanceType, instanceIds: readonly string[]): Assignment[] {
  let free = host.freeGpus.filter((gpu) => gpu.model === product.gpuModel);
  const partitions = product.gpuModel === null ? undefined : host.partitions.get(product.gpuModel);
  const choose = () =>
    partitions === undefined
      ? chooseGpus(free, product.gpus)
      : choosePartition(partitions, new Set(free.map(({ address }) => address)), product.gpus);
  return instanceIds.map((instanceId) => {
    const gpuAddresses = product.gpus === 0 ? [] : choose();
    free = free.filter((gpu) => !gpuAddresses.includes(gpu.address));
    return { instanceId, engine: host.engine, host: host.name, region: host.region, gpuAddresses };
  });
}

/** The host with these places taken, of the slots of the reservation if one is given; those on other hosts count for nothing. */
export function withoutPlaces<H extends LockedHost>(
  host: H,
  { product, reservation }: Pick<PlacementRequest, "product" | "reservation">,
  places: readonly Assignment[],
): H {
  const here = places.filter((place) => place.host === host.name);
  if (here.length === 0) return host;
  const gone = new Set(here.flatMap(({ gpuAddresses }) => gpuAddresses));
  const left = afterTaking(host, product, here.length, reservation);
  const freeGpus = host.freeGpus.filter(({ address }) => !gone.has(address));
  return { ...left, gpus: exactly(left.gpus, host.partitions, freeGpus), freeGpus };
}

/** The pools with what fits by these free GPUs. */
function exactly(
  pools: LockedHost["gpus"],
  partitions: Partitions,
  freeGpus: LockedHost["freeGpus"],
): LockedHost["gpus"] {
  if (partitions.size === 0) return pools;
  const free = new Set(freeGpus.map(({ address }) => address));
  return new Map(
    [...pools].map(([model, pool]) => {
      const sets = partitions.get(model);
      return [model, sets === undefined ? pool : { ...pool, fits: fitsOf(sets, free) }];
    }),
  );
}
