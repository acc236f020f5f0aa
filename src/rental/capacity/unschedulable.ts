// Which launches there is no room for: said from memory, where a storm of them costs next to nothing.
//
// Invariant: it is said only of what was committed when the mirror looked, and the mirror looks after the request has come
// (Mirror.refresh). What a transaction under way has taken still counts as room, so who is refused here would have been
// refused at that moment by placement.ts too, which waits for the locks of hosts that have room and for no others.
// Used by launching/launch.ts.

import type { RegionCapacity, RentalError } from "../errors.ts";
import { insufficientCapacityFor, type PlacementRequest } from "./assign.ts";
import type { HostOrder } from "./host-order.ts";
import { propose } from "./proposal.ts";

/** Those of the wants, which are bound to no place, that no region has room for by itself, and how they are refused. */
export function isUnschedulable<W extends PlacementRequest>(
  order: HostOrder,
  wants: readonly W[],
): Map<W, RentalError> {
  const refusals = new Map<W, RentalError>();
  // What is asked for again and again is looked for once.
  const seen = new Map<string, readonly RegionCapacity[] | "fits">();
  for (const want of wants) {
    const { product, region, instanceIds } = want;
    const key = JSON.stringify([product.name, region, instanceIds.length]);
    const found = seen.get(key) ?? roomOrCapacity(order, want);
    seen.set(key, found);
    if (found !== "fits") refusals.set(want, insufficientCapacityFor(want, found));
  }
  return refusals;
}

/** Whether there is room for the want; where not, how much of it each region has room for. */
function roomOrCapacity(order: HostOrder, want: PlacementRequest): readonly RegionCapacity[] | "fits" {
  if (propose(order, [want], new Set()).size > 0) return "fits";
  return order.capacityByRegion(want.product, want.instanceIds.length);
}
