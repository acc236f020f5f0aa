// Holds capacity for many launches in one transaction, without ever waiting: of the hosts that the mirror proposes it
// locks those that nobody else has locked, reads what they really have left, and fills them. The cost does not grow
// with the number of hosts. What finds no place here is not refused: placement.ts looks on its own, and may wait.
//
// Nothing is taken yet: the caller does that (takenPlaces), once it knows which of the launches go through.

import { ask, type Question, type Transaction, together } from "../../database/connect.ts";
import { hostsAsTheyAre, type LockedHost, lockedOf, type Taking } from "./host-lock.ts";
import { compareStandings, type HostOrder, rankOf } from "./host-order.ts";
import { type Assignment, type PlacementRequest, placesOn } from "./placement.ts";
import { propose } from "./proposal.ts";
import { howManyFit, without } from "./requirements.ts";

/** Where another server has locked what was proposed, other hosts are proposed; so many times in all. */
const rounds = 3;

export interface Held<W extends PlacementRequest> {
  readonly want: W;
  /** One for each instance, all in one region. */
  readonly places: readonly Assignment[];
}

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
  const found = new Map<W, Assignment[]>();
  const proposed = new Set<string>();
  let hosts: LockedHost[] = [];
  for (let round = 0; round < rounds && found.size < wants.length; round++) {
    const open = wants.filter((want) => !found.has(want));
    const names = propose(order, open, proposed);
    if (names.size === 0) break;
    const [locked, read, value] = await together(tx, [lockedOf([...names]), hostsAsTheyAre([...names]), besides]);
    answer ??= { value };
    hosts = hosts.concat(read.filter(({ name }) => locked.has(name)));
    for (const name of names) proposed.add(name);
    for (const want of open) {
      const taken = fill(want, hosts);
      if (taken === undefined) continue;
      found.set(want, taken.places);
      hosts = hosts.map((host) => taken.left.get(host.name) ?? host);
    }
  }
  const held = wants.flatMap((want) => {
    const places = found.get(want);
    return places === undefined ? [] : [{ want, places }];
  });
  return { held, besides: (answer ?? { value: await ask(tx, besides) }).value };
}

/** What is to be taken from each host for these wants. */
export function takingsOf(held: readonly Held<PlacementRequest>[]): Taking[] {
  return held.flatMap(({ want: { product }, places }) =>
    [...new Set(places.map(({ host }) => host))].map((host) => {
      return { host, product, places: places.filter((place) => place.host === host) };
    }),
  );
}

interface Filled {
  readonly places: Assignment[];
  /** The hosts that gave room, as they are after that. */
  readonly left: ReadonlyMap<string, LockedHost>;
}

/** Fills hosts of one region with the want, the best first; undefined where no region has enough. */
function fill(want: PlacementRequest, hosts: readonly LockedHost[]): Filled | undefined {
  const { product, region: asked, instanceIds } = want;
  const fitting = hosts.filter(({ room, region }) => {
    return (asked === undefined || region === asked) && howManyFit(room, product) > 0;
  });
  const standing = ({ name, room }: LockedHost) => rankOf(name, room, product.gpuModel);
  const best = fitting.sort((a, b) => compareStandings(standing(a), standing(b)));
  for (const region of new Set(best.map((host) => host.region))) {
    const [places, left]: [Assignment[], Map<string, LockedHost>] = [[], new Map()];
    for (const host of best.filter((one) => one.region === region)) {
      const waiting = instanceIds.slice(places.length);
      const here = placesOn(host, product, waiting.slice(0, howManyFit(host.room, product)));
      places.push(...here);
      left.set(host.name, after(host, want, here));
      if (places.length === instanceIds.length) return { places, left };
    }
  }
  return undefined;
}

function after(host: LockedHost, { product }: PlacementRequest, places: readonly Assignment[]): LockedHost {
  const gone = new Set(places.flatMap(({ gpuAddresses }) => gpuAddresses));
  return {
    ...host,
    room: without(host.room, product, places.length),
    freeGpus: host.freeGpus.filter(({ address }) => !gone.has(address)),
  };
}
