// Which hosts to lock for launches that are placed together: those that the mirror's last look would fill with them.
// A proposal only, made in memory; hold-together.ts locks them, reads what they really have left and decides.

import type { HostOrder, OrderedHost } from "./host-order.ts";
import type { PlacementRequest } from "./placement.ts";
import { howManyFit, type Room, without } from "./requirements.ts";

/** The names of hosts that have room for as many of the wants as can be, but for those that are left out. */
export function propose(
  order: HostOrder,
  wants: readonly PlacementRequest[],
  leftOut: ReadonlySet<string>,
): Set<string> {
  /** What is left of a host that was proposed already. */
  const left = new Map<string, Room>();
  for (const want of wants) {
    const regions = want.region === undefined ? order.regions(want.product) : [want.region];
    for (const region of regions) {
      const taken = fill(want, order.bestFirst(region, want.product), left, leftOut);
      for (const [name, room] of taken ?? []) left.set(name, room);
      if (taken !== undefined) break;
    }
  }
  return new Set(left.keys());
}

/** What is then left of the hosts that the want would take; undefined where they have too little room. */
function fill(
  { product, instanceIds }: PlacementRequest,
  hosts: Iterable<OrderedHost>,
  left: ReadonlyMap<string, Room>,
  leftOut: ReadonlySet<string>,
): Map<string, Room> | undefined {
  const taken = new Map<string, Room>();
  let missing = instanceIds.length;
  for (const host of hosts) {
    if (leftOut.has(host.name)) continue;
    const room = left.get(host.name) ?? host;
    const here = Math.min(missing, howManyFit(room, product));
    if (here === 0) continue;
    taken.set(host.name, without(room, product, here));
    missing -= here;
    if (missing === 0) return taken;
  }
  return undefined;
}
