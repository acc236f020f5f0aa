// Reserves capacity for one launch: all of its quantity in one region, or none. Called inside the launch's transaction.
// Many at once are first placed by reserve-together.ts; those it finds no place for come here one by one, but for those
// that are known to be unschedulable (unschedulable.ts).
// Invariant: whoever holds a host row's lock owns that host's capacity; nothing of a host is read for a decision, or
// changed, without it. The CHECKs `free between 0 and total` and the one holder per GPU stand behind that.
//
// Two passes, because both wrong answers are bad. The first takes the best hosts that nobody else has locked, so that
// launches which land on different hosts never wait for each other. But "nobody has it unlocked" is not "there is
// none": the launches that hold those locks may take only a part, or roll back. So before "not enough capacity" is said
// a second pass waits for each lock. It locks hosts in order of name, after giving back what the first pass had locked,
// and accounts are locked after hosts by everybody: no two transactions can wait for each other in a circle.
// 600 launches at once on capacity for 200 are exactly 200 successes (test/races/).

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { behind } from "../../database/round-trips.ts";
import { type Assignment, insufficientCapacityFor, type PlacementRequest, placesFor } from "./assign.ts";
import { capacityByRegion, type LockedHost, lockNextHost, regionsThatFit } from "./host-lock.ts";
import type { HostOrder } from "./host-order.ts";
import { reserveAlone } from "./reserve-together.ts";

/**
 * Reserves a place for every instance of the want, in one region, and locks its host; the caller takes it (takenPlaces).
 * Hosts are proposed by `order`, which may be old. Throws RentalError insufficient-capacity.
 */
export async function reserve(
  tx: Transaction,
  order: HostOrder,
  want: PlacementRequest,
): Promise<readonly Assignment[]> {
  await behind(savepoint).execute(tx);
  const places = (await reserveAlone(tx, order, want)) ?? (await reserveWaiting(tx, want));
  if (places !== undefined) return places;
  throw insufficientCapacityFor(want, await capacityByRegion(tx, want.product, want.instanceIds.length, want.bound));
}

const savepoint = sql`savepoint placement`;
/** Gives back what was locked and has insufficient capacity. */
const backToSavepoint = sql`rollback to savepoint placement`;

/** Second pass: region by region, waiting for every host that might have room. */
async function reserveWaiting(tx: Transaction, want: PlacementRequest): Promise<readonly Assignment[] | undefined> {
  await behind(backToSavepoint).execute(tx);
  const regions = want.region === undefined ? await regionsThatFit(tx, want.product) : [want.region];
  for (const region of regions) {
    const places = await reserveInRegion(tx, { ...want, region });
    if (places !== undefined) return places;
    await behind(backToSavepoint).execute(tx);
  }
  return undefined;
}

/** Locks hosts of the region one by one until every instance has its place; undefined where all of them have too few. */
async function reserveInRegion(
  tx: Transaction,
  want: PlacementRequest & { readonly region: string },
): Promise<readonly Assignment[] | undefined> {
  const hosts: LockedHost[] = [];
  for (;;) {
    const { region, bound } = want;
    const host = await lockNextHost(tx, want.product, { region, bound, after: hosts.at(-1)?.name });
    if (host === undefined) return undefined;
    hosts.push(host);
    const places = placesFor(want, hosts);
    if (places !== undefined) return places;
  }
}
