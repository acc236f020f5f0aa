// How many instances of a rejected launch fit in each region, for the suggestion of its rejection: from memory
// (unschedulable.ts), and from the database after locks were waited for (placement.ts), when memory may be outdated.
//
// Invariant: what is kept for launches that wait, or promised, does not count, or the suggestion would be rejected again.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { together } from "../../database/round-trips.ts";
import type { RegionCapacity } from "../errors.ts";
import type { PlacementRequest } from "./assign.ts";
import { hostsAsTheyAre, mayFit, within } from "./host-lock.ts";
import type { HostOrder } from "./host-order.ts";
import { linesNow, roomFor } from "./line.ts";
import { howManyFit } from "./requirements.ts";

type Rejected = Omit<PlacementRequest, "region">;

/** By name, counted up to what is wanted; only regions with capacity. `order`: refreshed. */
export function capacityLeftIn(
  order: HostOrder,
  { product, instanceIds, bound, ...turn }: Rejected,
): readonly RegionCapacity[] {
  return order.capacityByRegion(product, instanceIds.length, bound, (host) => roomFor(host, turn, order.lines));
}

/** Hosts of a region that are looked at: no launch is for so many instances that a suggestion needs more. */
const MOST_HOSTS = 200;

/** The same, from what is committed. */
export async function capacityLeftNow(
  db: Database,
  { product, instanceIds, bound, ...turn }: Rejected,
): Promise<readonly RegionCapacity[]> {
  const { rows } = await sql<{ name: string }>`
    select fitting.name from regions r cross join lateral (
      select h.name from hosts h where h.region = r.name and ${mayFit(product)} and ${within(bound)}
      limit ${MOST_HOSTS}) fitting`.execute(db);
  const [hosts, lines] = await together(db, [hostsAsTheyAre(rows.map(({ name }) => name)), linesNow]);
  const fits = new Map<string, number>();
  for (const host of hosts) {
    const here = howManyFit(roomFor(host, turn, lines), product);
    if (here > 0) fits.set(host.region, Math.min((fits.get(host.region) ?? 0) + here, instanceIds.length));
  }
  return [...fits].sort(([a], [b]) => (a < b ? -1 : 1)).map(([region, here]) => ({ region, fits: here }));
}
