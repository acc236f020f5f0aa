// Reserves capacity for one launch: all of its quantity in one region, or none. Called inside the launch's transaction.
// Concurrent launches are first placed by reserve-together.ts; those without places come here one by one, unless they
// are known to be unschedulable (unschedulable.ts). Invariant: a host's capacity is read for decisions, and changed,
// only under its row lock. The CHECKs `free between 0 and total` and one holder per GPU back that up.
//
// Two passes, because both wrong answers are bad. The first uses the best unlocked hosts, so that launches on different
// hosts never wait for each other. But "all are locked" is not "no capacity": the launches with those locks might use
// only a part, or roll back. So before "not enough capacity" a second pass waits for each lock. It locks hosts in order
// of name, after releasing those of the first pass, and accounts are always locked after hosts: no deadlock is
// possible. 600 concurrent launches on capacity for 200 are exactly 200 successes (test/races/).

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { ask, behind } from "../../database/round-trips.ts";
import { type Assignment, insufficientCapacityFor, type PlacementRequest, placesFor } from "./assign.ts";
import { capacityLeftNow } from "./capacity-left.ts";
import { type LockedHost, lockNextHost, regionsThatFit } from "./host-lock.ts";
import type { HostOrder } from "./host-order.ts";
import { linesNow } from "./line.ts";
import { reserveAlone } from "./reserve-together.ts";

/**
 * Reserves a place for every instance of the request, in one region, and locks its host; the caller takes it
 * (takenPlaces). `order`, which can be outdated, proposes hosts and ranks them. Throws RentalError insufficient-capacity.
 */
export async function reserve(
  tx: Transaction,
  order: HostOrder,
  want: PlacementRequest,
): Promise<readonly Assignment[]> {
  await behind(savepoint).execute(tx);
  const places = (await reserveAlone(tx, order, want)) ?? (await reserveWaiting(tx, order, want));
  if (places !== undefined) return places;
  throw insufficientCapacityFor(want, await capacityLeftNow(tx, want));
}

const savepoint = sql`savepoint placement`;
/** Releases locked hosts without enough capacity. */
const backToSavepoint = sql`rollback to savepoint placement`;

/** Second pass: region by region, waiting for every host that might have capacity. */
async function reserveWaiting(
  tx: Transaction,
  order: HostOrder,
  want: PlacementRequest,
): Promise<readonly Assignment[] | undefined> {
  await behind(backToSavepoint).execute(tx);
  const regions = want.region === undefined ? await regionsThatFit(tx, want.product, want.bound) : [want.region];
  for (const region of regions) {
    const places = await reserveInRegion(tx, order, { ...want, region });
    if (places !== undefined) return places;
    await behind(backToSavepoint).execute(tx);
  }
  return undefined;
}

/** Locks hosts of the region one by one until every instance has a place; undefined if all of them have too little. */
async function reserveInRegion(
  tx: Transaction,
  order: HostOrder,
  want: PlacementRequest & { readonly region: string },
): Promise<readonly Assignment[] | undefined> {
  const hosts: LockedHost[] = [];
  for (;;) {
    const { region, bound } = want;
    const host = await lockNextHost(tx, want.product, { region, bound, after: hosts.at(-1)?.name });
    if (host === undefined) return undefined;
    hosts.push(host);
    const places = placesFor(want, { hosts, lines: await ask(tx, linesNow) }, order);
    if (places !== undefined) return places;
  }
}
