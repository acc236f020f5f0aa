// Reserves capacity for many launches in one transaction, without ever waiting: of the hosts that the capacity cache
// proposes it locks those that nobody else has locked, reads what they really have left, and fills them. The cost does not
// grow with the number of hosts. What finds no place here is not rejected: placement.ts looks on its own, and may wait.
//
// Nothing is taken yet: the caller does that (takenPlaces), once it knows which of the launches go through.

import type { Transaction } from "../../database/connect.ts";
import { ask, type Question, together } from "../../database/round-trips.ts";
import { type Assignment, type Held, type PlacementRequest, placesFor } from "./assign.ts";
import { hostsAsTheyAre, type LockedHost, lockedOf, type Taking } from "./host-lock.ts";
import type { HostOrder } from "./host-order.ts";
import { propose } from "./proposal.ts";
import { without } from "./requirements.ts";

/** Where another server has locked what was proposed, other hosts are proposed; so many times in all. */
const rounds = 3;

/**
 * The wants that found places for all their instances, in their order, and the answer to `besides`, which goes out with
 * the first look for hosts.
 */
export async function reserveTogether<W extends PlacementRequest, T>(
  tx: Transaction,
  order: HostOrder,
  wants: readonly W[],
  besides: Question<T>,
): Promise<{ held: Held<W>[]; besides: T }> {
  let answer: { readonly value: T } | undefined;
  const held = await reserveUnlocked(order, wants, rounds, async (names) => {
    const [locked, read, value] = await together(tx, [lockedOf(names), hostsAsTheyAre(names), besides]);
    answer ??= { value };
    return read.filter(({ name }) => locked.has(name));
  });
  return { held, besides: (answer ?? { value: await ask(tx, besides) }).value };
}

/** The same for one that is alone in its transaction, until every host that might do was locked by somebody else. */
export async function reserveAlone(
  tx: Transaction,
  order: HostOrder,
  want: PlacementRequest,
): Promise<readonly Assignment[] | undefined> {
  const [held] = await reserveUnlocked(order, [want], Number.POSITIVE_INFINITY, async (names) => {
    const [locked, read] = await together(tx, [lockedOf(names), hostsAsTheyAre(names)]);
    return read.filter(({ name }) => locked.has(name));
  });
  return held?.places;
}

/** `lock`: those of the hosts that nobody else has locked, locked now. */
async function reserveUnlocked<W extends PlacementRequest>(
  order: HostOrder,
  wants: readonly W[],
  rounds: number,
  lock: (names: readonly string[]) => Promise<LockedHost[]>,
): Promise<Held<W>[]> {
  const found = new Map<W, readonly Assignment[]>();
  const proposed = new Set<string>();
  let hosts: readonly LockedHost[] = [];
  for (let round = 0; round < rounds && found.size < wants.length; round++) {
    const open = wants.filter((want) => !found.has(want));
    const names = propose(order, open, proposed);
    if (names.size === 0) break;
    hosts = hosts.concat(await lock([...names]));
    for (const name of names) proposed.add(name);
    for (const want of open) {
      const places = placesFor(want, hosts);
      if (places === undefined) continue;
      found.set(want, places);
      hosts = hosts.map((host) => after(host, want, places));
    }
  }
  return wants.flatMap((want) => {
    const places = found.get(want);
    return places === undefined ? [] : [{ want, places }];
  });
}

/** What is to be taken from each host for these wants. */
export function takingsOf(held: readonly Held<PlacementRequest>[]): Taking[] {
  return held.flatMap(({ want: { product }, places }) =>
    [...new Set(places.map(({ host }) => host))].map((host) => {
      return { host, product, places: places.filter((place) => place.host === host) };
    }),
  );
}

function after(host: LockedHost, { product }: PlacementRequest, places: readonly Assignment[]): LockedHost {
  const here = places.filter((place) => place.host === host.name);
  if (here.length === 0) return host;
  const gone = new Set(here.flatMap(({ gpuAddresses }) => gpuAddresses));
  return {
    ...host,
    room: without(host.room, product, here.length),
    freeGpus: host.freeGpus.filter(({ address }) => !gone.has(address)),
  };
}
