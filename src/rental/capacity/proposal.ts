// The hosts to lock for launches, as the capacity cache would fill them as of its last refresh. Only a proposal;
// reserve-together.ts locks them, reads their free capacity and decides.

import type { PlacementRequest } from "./assign.ts";
import type { HostOrder } from "./host-order.ts";
import { mayTake } from "./line.ts";
import { fill, type Room, without } from "./requirements.ts";

/** The names of hosts with capacity for as many of the requests as possible, except excluded ones. */
export function propose(
  order: HostOrder,
  wants: readonly PlacementRequest[],
  leftOut: ReadonlySet<string>,
): Set<string> {
  /** What is left of a host that was proposed already. */
  const left = new Map<string, Room>();
  for (const { product, region: asked, instanceIds, bound, ...turn } of wants) {
    for (const region of asked === undefined ? order.regions(product, bound) : [asked]) {
      const hosts = order
        .bestFirst(region, product, bound)
        .filter((host) => !leftOut.has(host.name) && mayTake(host, turn, order.lines));
      const taken = fill(hosts, (host) => left.get(host.name) ?? host, product, instanceIds.length);
      if (taken === undefined) continue;
      for (const [host, here] of taken) left.set(host.name, without(left.get(host.name) ?? host, product, here));
      break;
    }
  }
  return new Set(left.keys());
}
