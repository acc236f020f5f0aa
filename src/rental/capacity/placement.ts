// Holds capacity for one launch: all of its quantity in one region, or none. Called inside the launch's transaction.
// Many at once are first placed by hold-together.ts; those it finds no place for come here one by one, but for those
// that are known to fit nowhere (fits-nowhere.ts).
// Invariant: whoever holds a host row's lock owns that host's capacity; nothing of a host is read for a decision, or
// changed, without it. The CHECKs `free between 0 and total` and the one holder per GPU stand behind that.
//
// Two passes, because both wrong answers are bad. The first takes the best host that nobody else has locked, so that
// launches which land on different hosts never wait for each other. But "nobody has it unlocked" is not "there is
// none": the launches that hold those locks may take only a part, or roll back. So before "not enough capacity" is said
// a second pass waits for each lock. It locks hosts in order of name, after giving back what the first pass had locked,
// and accounts are locked after hosts by everybody: no two transactions can wait for each other in a circle.
// 600 launches at once on capacity for 200 are exactly 200 successes (test/races/).

import { sql } from "kysely";
import { ask, type Transaction } from "../../database/connect.ts";
import { type RegionCapacity, RentalError } from "../errors.ts";
import type { Binding } from "../file-systems/common-place.ts";
import type { InstanceType } from "../instances/instance.ts";
import { chooseGpus } from "./choose-gpus.ts";
import { capacityByRegion, type LockedHost, lockNextHost, regionsThatFit, takenPlaces } from "./host-lock.ts";
import { howManyFit } from "./requirements.ts";

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

/** Holds a place for every instance of the want, in one region. Throws RentalError insufficient-capacity. */
export async function reserve(tx: Transaction, want: PlacementRequest): Promise<Assignment[]> {
  const places = (await holdUnlocked(tx, want)) ?? (await holdWaiting(tx, want));
  if (places !== undefined) return places;
  throw insufficientCapacityFor(want, await capacityByRegion(tx, want.product, want.instanceIds.length, want.bound));
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

/** First pass: the region of the best host that is free of locks, then the next best region, until one has it all. */
async function holdUnlocked(tx: Transaction, want: PlacementRequest): Promise<Assignment[] | undefined> {
  const triedRegions: string[] = [];
  for (;;) {
    await sql`savepoint placement`.execute(tx);
    const best = await lockNextHost(tx, want.product, {
      region: want.region,
      bound: want.bound,
      triedRegions,
      lock: "skip",
    });
    const places = best === undefined ? undefined : await fill(tx, want, best.region, "skip", best);
    if (places !== undefined) return places;
    // Also where nothing was found: a host that turned out to be full only when it was locked stays locked till then.
    await sql`rollback to savepoint placement`.execute(tx);
    if (best === undefined) return undefined;
    triedRegions.push(best.region);
  }
}

/** Second pass: region by region, waiting for every host that might have room. */
async function holdWaiting(tx: Transaction, want: PlacementRequest): Promise<Assignment[] | undefined> {
  const regions = want.region === undefined ? await regionsThatFit(tx, want.product) : [want.region];
  for (const region of regions) {
    await sql`savepoint placement`.execute(tx);
    const places = await fill(tx, want, region, "wait");
    if (places !== undefined) return places;
    await sql`rollback to savepoint placement`.execute(tx);
  }
  return undefined;
}

/** Takes hosts of the region one by one until every instance has its place; undefined when the region has too few. */
async function fill(
  tx: Transaction,
  want: PlacementRequest,
  region: string,
  lock: "skip" | "wait",
  first?: LockedHost,
): Promise<Assignment[] | undefined> {
  const places: Assignment[] = [];
  const seen: string[] = [];
  const search = { region, bound: want.bound, seen, lock };
  let host = first ?? (await lockNextHost(tx, want.product, search));
  while (host !== undefined) {
    const waiting = want.instanceIds.slice(places.length);
    const here = placesOn(host, want.product, waiting.slice(0, howManyFit(host.room, want.product)));
    if (here.length > 0) {
      await ask(tx, takenPlaces([{ host: host.name, product: want.product, places: here }]));
      places.push(...here);
    }
    if (places.length === want.instanceIds.length) return places;
    seen.push(host.name);
    host = await lockNextHost(tx, want.product, search);
  }
  return undefined;
}

/** Places on the host, which has room for so many. */
export function placesOn(host: LockedHost, product: InstanceType, instanceIds: readonly string[]): Assignment[] {
  let free = host.freeGpus.filter((gpu) => gpu.model === product.gpuModel);
  return instanceIds.map((instanceId) => {
    const gpuAddresses = product.gpus === 0 ? [] : chooseGpus(free, product.gpus);
    free = free.filter((gpu) => !gpuAddresses.includes(gpu.address));
    return { instanceId, engine: host.engine, host: host.name, region: host.region, gpuAddresses };
  });
}
