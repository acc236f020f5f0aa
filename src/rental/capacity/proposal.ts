// Which hosts to lock for launches: those that the capacity cache, as of its last look, would fill with them.
// A proposal only, made in memory; reserve-together.ts locks them, reads what they really have left and decides.

import type { PlacementRequest } from "./assign.ts";
import type { HostOrder } from "./host-order.ts";
import { fill, type Room, without } from "./requirements.ts";

/** The names of hosts that have room for as many of the wants as can be, but for those that are left out. */
export function propose(
  order: HostOrder,
  wants: readonly PlacementRequest[],
  leftOut: ReadonlySet<string>,
): Set<string> {
  /** What is left of a host that was proposed already. */
  const left = new Map<string, Room>();
  for (const { product, region: asked, instanceIds, bound } of wants) {
    for (const region of asked === undefined ? order.regions(product, bound) : [asked]) {
      const hosts = order.bestFirst(region, product, bound).filter(({ name }) => !leftOut.has(name));
      const taken = fill(hosts, (host) => left.get(host.name) ?? host, product, instanceIds.length);
      if (taken === undefined) continue;
      for (const [host, here] of taken) left.set(host.name, without(left.get(host.name) ?? host, product, here));
      break;
    }
  }
  return new Set(left.keys());
}
