// What launches see as free now: of each instance type and region with capacity, how many instances fit. Used by
// notice-store.ts and announce.ts.
//
// Invariant: what is kept for launches that wait is not among it (capacity/cache.ts), so no notice is given of it.

import type { Database } from "../../database/connect.ts";
import type { CapacityCache } from "../capacity/cache.ts";
import { listInstanceTypes } from "../catalog/instance-type-store.ts";

export interface SeenCapacity {
  readonly instanceType: string;
  readonly region: string;
  /** How many instances fit: at least one. */
  readonly fits: number;
}

/** Not older than the call. Not in a transaction: it reads through a connection of its own. */
export async function seenCapacity(db: Database, capacity: Pick<CapacityCache, "view">): Promise<SeenCapacity[]> {
  const view = await capacity.view(await listInstanceTypes(db));
  return [...view].flatMap(([instanceType, regions]) =>
    [...regions].map(([region, fits]) => ({ instanceType, region, fits })),
  );
}
