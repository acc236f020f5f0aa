// Finds launches without capacity from memory, so that many of them cost little.
//
// Invariant: it considers everything committed when the cache was refreshed, which is after the request arrived
// (CapacityCache.refresh). What a running transaction has taken still counts as free, so placement.ts would have
// rejected the launch at that moment too: it waits only for locks of hosts with capacity. Used by launching/place.ts.

import type { RegionCapacity, RentalError } from "../errors.ts";
import { insufficientCapacityFor, type PlacementRequest } from "./assign.ts";
import { capacityLeftIn } from "./capacity-left.ts";
import type { HostOrder } from "./host-order.ts";
import { propose } from "./proposal.ts";

/** Those of the requests that no region has capacity for, with their errors. None is bound to a place. */
export function isUnschedulable<W extends PlacementRequest>(
  order: HostOrder,
  wants: readonly W[],
): Map<W, RentalError> {
  const refusals = new Map<W, RentalError>();
  // Repeated requests are searched once.
  const seen = new Map<string, readonly RegionCapacity[] | "fits">();
  for (const want of wants) {
    const { product, region, instanceIds, bound } = want;
    const place = [bound?.labels, bound?.driverBranch, want.position, want.endsMs, want.reservation];
    const key = JSON.stringify([product.name, region, instanceIds.length, ...place]);
    const found = seen.get(key) ?? roomOrCapacity(order, want);
    seen.set(key, found);
    if (found !== "fits") refusals.set(want, insufficientCapacityFor(want, found));
  }
  return refusals;
}

/** Whether the request fits; if not, how many of its instances fit in each region. */
function roomOrCapacity(order: HostOrder, want: PlacementRequest): readonly RegionCapacity[] | "fits" {
  if (propose(order, [want], new Set()).size > 0) return "fits";
  return capacityLeftIn(order, want);
}
