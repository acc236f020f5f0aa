// What is to be evicted for whom, of a fleet and all that wait: in the order in which they are placed, each gets what is free
// or comes back by itself, and what it lacks is evicted for it if that makes all of it fit. Computes only. Used by
// evictor.ts, which compares it with what is under notice; settle.ts decides again under locks.
//
// Invariants: nothing is evicted on a host that an earlier one could use, now or when all spot instances there were gone,
// unless that one is served elsewhere. Hosts on which instances are evicted for one are used for no other until they are
// gone, except that an earlier one can use what is free there already: if it could not, it would end what is evicted for the
// other, which would then be evicted again.

import { placesOn, withoutPlaces } from "../capacity/assign.ts";
import { type HostBound, isWithin } from "../capacity/host-order.ts";
import { type Line, mayTake } from "../capacity/line.ts";
import { roomUntil } from "../capacity/promised.ts";
import { howManyFit } from "../capacity/requirements.ts";
import type { InstanceType } from "../instances/instance.ts";
import { type ChosenHost, chooseEvictions } from "./choose-evictions.ts";
import { type EvictionHost, roomAfter, withoutInstances } from "./evictable.ts";

/** What spot instances can be evicted for: something that capacity alone keeps waiting. */
export interface Beneficiary {
  readonly id: string;
  /** Ascending in the order in which they are placed, of all that wait. */
  readonly position: number;
  /** Equal for those that need the same of a host. */
  readonly line: string;
  readonly product: InstanceType;
  readonly quantity: number;
  /** Undefined: every one. */
  readonly region: string | undefined;
  readonly bound: HostBound;
  /** When its instances would end at the latest if it were placed now, in milliseconds since 1970; undefined: not known. */
  readonly endsMs: number | undefined;
}

/** What an earlier one takes of a host without any eviction there. */
export interface Claim {
  readonly product: InstanceType;
  readonly times: number;
  /** As of a Beneficiary. */
  readonly endsMs: number | undefined;
}

/** What is known when it is one's turn. */
export interface Before {
  /** Earlier ones that are not served: they keep the hosts that they could use. */
  readonly unserved: readonly Line[];
  /** By host. */
  readonly claims: ReadonlyMap<string, readonly Claim[]>;
}

export interface Plan {
  readonly beneficiary: Beneficiary;
  readonly before: Before;
  /** Undefined: evicting does not help it. */
  readonly chosen: readonly ChosenHost[] | undefined;
}

/** The order in which a launch of the type uses hosts. */
export type CompareFor = (product: InstanceType) => (a: EvictionHost, b: EvictionHost) => number;

/** A plan for each, in order of position. */
export function planEvictions(
  hosts: readonly EvictionHost[],
  beneficiaries: readonly Beneficiary[],
  compareFor: CompareFor,
): Plan[] {
  const now = new Map(hosts.map((host) => [host.name, host]));
  const unserved = new Map<string, Line>();
  const claims = new Map<string, readonly Claim[]>();
  return beneficiaries
    .toSorted((a, b) => a.position - b.position)
    .map((beneficiary) => {
      const before = { unserved: [...unserved.values()], claims: new Map(claims) };
      const { line, product, endsMs } = beneficiary;
      // One of the same line that is not served could use whatever this one could.
      const chosen = unserved.has(line) ? undefined : choose(beneficiary, [...now.values()], before, compareFor);
      if (chosen === undefined && !unserved.has(line)) unserved.set(line, lineOf(beneficiary));
      const { id, position } = beneficiary;
      const owner = chosen?.some(({ evicted }) => evicted.length > 0) ? { id, position } : undefined;
      for (const { host: chosenHost, times, evicted } of chosen ?? []) {
        // With all that can be evicted there for later ones.
        const host = now.get(chosenHost.name) ?? chosenHost;
        now.set(host.name, { ...taken({ host, times, evicted }, product), owner: owner ?? host.owner });
        if (owner === undefined) claims.set(host.name, [...(claims.get(host.name) ?? []), { product, times, endsMs }]);
      }
      return { beneficiary, before, chosen };
    });
}

/** The choice for one of hosts as they are now; `before`: their claims are taken off already. */
export function choose(
  beneficiary: Beneficiary,
  hosts: readonly EvictionHost[],
  { unserved }: Pick<Before, "unserved">,
  compareFor: CompareFor,
): readonly ChosenHost[] | undefined {
  const usable = hosts
    .filter((host) => isUsable(host, beneficiary, unserved))
    .map((host) => (isOfLater(host, beneficiary) ? { ...host, evictable: [] } : host))
    .sort(compareFor(beneficiary.product));
  return chooseEvictions(beneficiary, usable);
}

/** The host without what earlier ones take, as far as it still has that. */
export function afterClaims(host: EvictionHost, { claims }: Pick<Before, "claims">): EvictionHost {
  return (claims.get(host.name) ?? []).reduce(
    (left, { product, times, endsMs }) =>
      taken({ host: left, times: Math.min(times, howManyFit(roomUntil(left, endsMs), product)), evicted: [] }, product),
    host,
  );
}

function isOfLater({ owner }: EvictionHost, { id, position }: Pick<Beneficiary, "id" | "position">): boolean {
  return owner !== undefined && owner.id !== id && owner.position > position;
}

function isUsable(
  host: EvictionHost,
  { id, position, region, bound }: Beneficiary,
  unserved: readonly Line[],
): boolean {
  return (
    (region === undefined || host.region === region) &&
    isWithin(host, bound) &&
    (host.owner === undefined || host.owner.id === id || isOfLater(host, { id, position })) &&
    mayTake({ ...host, ...roomAfter(host, host.evictable) }, { position }, unserved)
  );
}

/** What is left of the host. */
function taken({ host, times, evicted }: ChosenHost, product: InstanceType): EvictionHost {
  const emptied = withoutInstances(host, evicted);
  const places = placesOn(
    emptied,
    product,
    Array.from({ length: times }, (_, index) => `${index}`),
  );
  const left = withoutPlaces(emptied, { product }, places);
  return { ...left, evictable: host.evictable.filter((one) => !evicted.includes(one)) };
}

function lineOf({ position, product, region, bound, endsMs }: Beneficiary): Line {
  return { position, isSpot: false, product, region, bound, endsMs };
}
