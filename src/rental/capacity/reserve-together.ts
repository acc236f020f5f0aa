// Reserves capacity for many launches in one transaction, without waiting: locks those proposed hosts that are not
// locked by others, reads their free capacity, and fills them. The cost does not grow with the number of hosts. A
// launch without a place here is not rejected: placement.ts searches separately, and can wait.
//
// Nothing is taken yet: the caller does that (takenPlaces), once it knows which launches succeed.

import type { Transaction } from "../../database/connect.ts";
import { ask, type Question, together } from "../../database/round-trips.ts";
import { type Assignment, type Held, type PlacementRequest, placesFor, withoutPlaces } from "./assign.ts";
import { hostsAsTheyAre, type LockedHost, type LockedHosts, lockedOf, type Taking } from "./host-lock.ts";
import type { HostOrder } from "./host-order.ts";
import { linesNow } from "./line.ts";
import { propose } from "./proposal.ts";

/** If another replica has locked proposed hosts, others are proposed, up to this many rounds. */
const rounds = 3;

/**
 * The requests that found places for all their instances, in order, and the answer to `besides`, which is sent with the
 * first search.
 */
export async function reserveTogether<W extends PlacementRequest, T>(
  tx: Transaction,
  order: HostOrder,
  wants: readonly W[],
  besides: Question<T>,
): Promise<{ held: Held<W>[]; besides: T }> {
  let answer: { readonly value: T } | undefined;
  const held = await reserveUnlocked(order, wants, rounds, async (names) => {
    const [locked, read, lines, value] = await together(tx, [
      lockedOf(names),
      hostsAsTheyAre(names),
      linesNow,
      besides,
    ]);
    answer ??= { value };
    return { hosts: read.filter(({ name }) => locked.has(name)), lines };
  });
  return { held, besides: (answer ?? { value: await ask(tx, besides) }).value };
}

/** As reserveTogether for a single launch, until every suitable host was locked by others. */
export async function reserveAlone(
  tx: Transaction,
  order: HostOrder,
  want: PlacementRequest,
): Promise<readonly Assignment[] | undefined> {
  const [held] = await reserveUnlocked(order, [want], Number.POSITIVE_INFINITY, async (names) => {
    const [locked, read, lines] = await together(tx, [lockedOf(names), hostsAsTheyAre(names), linesNow]);
    return { hosts: read.filter(({ name }) => locked.has(name)), lines };
  });
  return held?.places;
}

/** `lock`: locks those of the hosts that are not locked by others, and returns them. */
async function reserveUnlocked<W extends PlacementRequest>(
  order: HostOrder,
  wants: readonly W[],
  rounds: number,
  lock: (names: readonly string[]) => Promise<LockedHosts>,
): Promise<Held<W>[]> {
  const found = new Map<W, readonly Assignment[]>();
  const proposed = new Set<string>();
  let hosts: readonly LockedHost[] = [];
  for (let round = 0; round < rounds && found.size < wants.length; round++) {
    const open = wants.filter((want) => !found.has(want));
    const names = propose(order, open, proposed);
    if (names.size === 0) break;
    const locked = await lock([...names]);
    hosts = hosts.concat(locked.hosts);
    for (const name of names) proposed.add(name);
    for (const want of open) {
      const places = placesFor(want, { hosts, lines: locked.lines }, order);
      if (places === undefined) continue;
      found.set(want, places);
      hosts = hosts.map((host) => withoutPlaces(host, want, places));
    }
  }
  return wants.flatMap((want) => {
    const places = found.get(want);
    return places === undefined ? [] : [{ want, places }];
  });
}

/** What to take from each host for these requests. */
export function takingsOf(held: readonly Held<PlacementRequest>[]): Taking[] {
  return held.flatMap(({ want: { product }, places }) =>
    [...new Set(places.map(({ host }) => host))].map((host) => {
      return { host, product, places: places.filter((place) => place.host === host) };
    }),
  );
}
