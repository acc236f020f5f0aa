// Which of the first of each line are worth a try: those that the capacity cache has hosts for, unless they were tried
// with just these in vain. So a wake-up that gives room to one line costs the others nothing. Used by placer.ts.
//
// Invariant: it only spares tries. What is left out is tried again when its hosts have changed, and when it is due.

import type { HostOrder, OrderedHost } from "../capacity/host-order.ts";
import type { Line } from "../capacity/line.ts";
import { propose } from "../capacity/proposal.ts";
import type { Head } from "./heads.ts";

export class WorthTrying {
  /** By launch, the hosts with which it was not placed. */
  readonly #inVain = new Map<string, string>();
  readonly #tried = new Map<string, string>();

  /** `order`: refreshed meanwhile; a head that it does not know is worth a try. */
  of(order: HostOrder, heads: readonly Head[]): Head[] {
    const lines = new Map(order.lines.map((line) => [line.position, line]));
    this.#tried.clear();
    const worth = heads.filter((head) => {
      const hosts = hostsFor(order, head, lines.get(head.position));
      this.#tried.set(head.id, hosts);
      return head.isDue || (hosts !== "" && hosts !== this.#inVain.get(head.id));
    });
    for (const id of this.#inVain.keys()) if (!this.#tried.has(id)) this.#inVain.delete(id);
    return worth;
  }

  /** One has had its turn, so that hosts may be free for others that were not when they were tried. */
  forget(): void {
    this.#inVain.clear();
  }

  /** It was not placed, and waits on. */
  wasInVain(id: string): void {
    const hosts = this.#tried.get(id);
    if (hosts !== undefined) this.#inVain.set(id, hosts);
  }
}

/** The hosts that it would be placed on, with what they have free, as text; empty: none. */
function hostsFor(order: HostOrder, { position, quantity }: Head, line: Line | undefined): string {
  // Its line or its instance type is gone: trying it tells what follows.
  if (line === undefined) return "unknown";
  const { product, region, bound, endsMs, isSpot } = line;
  const turn = { position, endsMs, isSpot };
  const instanceIds = Array.from({ length: quantity }, (_, n) => `${n}`);
  const names = propose(order, [{ ...turn, product, region, bound, instanceIds }], new Set());
  if (names.size === 0) return "";
  const free: string[] = [];
  for (const place of region === undefined ? order.regions(product, bound) : [region]) {
    for (const host of order.bestFirst(place, product, bound)) if (names.has(host.name)) free.push(asText(host));
  }
  return free.join();
}

function asText({ name, freeVcpus, gpus, earmark, promised }: OrderedHost): string {
  return JSON.stringify([name, freeVcpus, [...gpus], earmark?.position, promised]);
}
