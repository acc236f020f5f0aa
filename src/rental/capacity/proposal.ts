// The hosts to lock for launches, as the capacity cache would fill them as of its last refresh. Only a proposal;
// reserve-together.ts locks them, reads their free capacity and decides.

import type { PlacementRequest } from "./assign.ts";
import type { HostOrder, OrderedHost } from "./host-order.ts";
import { roomFor } from "./line.ts";
import { afterTaking } from "./promised.ts";
import { fill } from "./requirements.ts";

/** The names of hosts with capacity for as many of the requests as possible, except excluded ones. */
export function propose(
  order: HostOrder,
  wants: readonly PlacementRequest[],
  leftOut: ReadonlySet<string>,
): Set<string> {
  /** What is left of a host that was proposed already. */
  const left = new Map<string, OrderedHost>();
  const now = (host: OrderedHost) => left.get(host.name) ?? host;
  for (const { product, region: asked, instanceIds, bound, ...turn } of wants) {
    for (const region of asked === undefined ? order.regions(product, bound) : [asked]) {
      const hosts = order.bestFirst(region, product, bound).filter((host) => !leftOut.has(host.name));
      const taken = fill(hosts, (host) => roomFor(now(host), turn, order.lines), product, instanceIds.length);
      if (taken === undefined) continue;
      for (const [host, here] of taken) left.set(host.name, afterTaking(now(host), product, here, turn.reservation));
      break;
    }
  }
  return new Set(left.keys());
}
