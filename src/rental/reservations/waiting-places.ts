// Where launches that wait will surely be placed, and when, if nothing else is reserved: so that no reservation is made
// that would let one of them wait longer. Used by choose-hosts.ts.
//
// Each line gets what is surely free first, in order of position: what is free now, then what comes back moment by moment;
// of hosts at one moment, those that it fits on least often. What never surely fits takes nothing. Moments are quarters of an
// hour: instances that were launched together end seconds apart, and for seconds no host is kept free of slots.
//
// Invariant: a launch uses a host without all slots that are promised there, whatever is to be free when they begin
// (promised.ts). So slots are in the way of a launch, unless they fit beside it at the moment at which it is placed.

import { setImmediate } from "node:timers/promises";
import { given, goneBy, type HostFuture, roomDuring, type Stay } from "../capacity/host-future.ts";
import type { LockedHost } from "../capacity/host-lock.ts";
import { isWithin } from "../capacity/host-order.ts";
import { less, roomUntil } from "../capacity/promised.ts";
import { howManyFit, type Room } from "../capacity/requirements.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Demand, WaitingDemand } from "./waiting-demand.ts";

/** What comes back within this time counts at its end. */
const stepMs = 900_000;

type Delays = Pick<Stay, "handoverMs" | "noticeMs">;

/** Launches are placed on a host at this moment. In milliseconds since 1970. */
interface Place {
  readonly atMs: number;
  /** When they have surely ended; infinite: never. */
  readonly endedMs: number;
  /** With their instances, and those of all that are placed on it before, as slots that it owes. */
  readonly host: LockedHost;
  /** What is left of it; undefined: that depends on when, because it owes slots to reservations. */
  readonly left: Room | undefined;
}

/** By host. */
export type WaitingPlaces = ReadonlyMap<string, readonly Place[]>;

/** Hosts that are looked at between two turns of others: a fleet can have many. */
const hostsATurn = 100;

/** `futures`: of all hosts that any of them could use, also of those that are kept for one. */
export async function waitingPlaces(
  futures: readonly HostFuture[],
  { nowMs, demands }: WaitingDemand,
  delays: Delays,
): Promise<WaitingPlaces> {
  const places = new Map<string, Place[]>();
  let open = demands.map((demand) => ({ demand, left: demand.quantity }));
  let looked = 0;
  for (const [atMs, changed] of changesOf(futures, nowMs, delays)) {
    looked += changed.length;
    if (looked > hostsATurn) {
      looked = 0;
      await setImmediate();
    }
    const hosts = new Map(changed.map((future) => [future.host.name, hostAt(future, atMs, delays, places)]));
    for (const one of open) {
      const fitting = [...hosts.values()].map((host) => ({ host, fits: fitsAt(host, one.demand, atMs) }));
      for (const { host, fits } of fitting.filter(({ fits }) => fits > 0).sort(compare)) {
        const here = Math.min(one.left, fits);
        if (here === 0) break;
        one.left -= here;
        const after = withTaken(host, one.demand.product, here);
        hosts.set(host.name, after);
        const owesOthers = after.promised?.some(({ reservation }) => reservation !== waiting) === true;
        const left = owesOthers ? undefined : less(after, after.promised ?? []);
        const all = places.get(host.name) ?? [];
        all.push({ atMs, endedMs: one.demand.endedMs, host: after, left });
        places.set(host.name, all);
      }
    }
    open = open.filter(({ left }) => left > 0);
    if (open.length === 0) break;
  }
  return places;
}

/** What of a host can be reserved without letting launches that are placed there wait longer, place by place. */
export function roomsBeside(future: HostFuture, stay: Stay, places: WaitingPlaces): Room[] {
  const { fromMs, endsMs, handoverMs } = stay;
  return (places.get(future.host.name) ?? [])
    .filter((place) => place.atMs < endsMs + handoverMs && fromMs < place.endedMs + handoverMs)
    .map(({ host, left }) => left ?? roomDuring({ ...future, host, endings: [] }, stay));
}

/** The hosts that have more than before, by moment, the earliest first; at the first one all. */
function changesOf(futures: readonly HostFuture[], nowMs: number, delays: Delays): Map<number, HostFuture[]> {
  const changes = futures.flatMap((future) => {
    const { host, endings } = future;
    const later = [
      ...endings.flatMap(({ endsMs, seenMs, isEvictable, evictedFor }) => [
        ...(endsMs === null ? [] : [endsMs + delays.handoverMs]),
        ...(isEvictable && evictedFor === null ? [seenMs + delays.noticeMs + delays.handoverMs] : []),
      ]),
      ...(host.promised ?? []).map(({ untilMs }) => untilMs),
    ].filter((ms) => ms > nowMs);
    const moments = new Set(later.map((ms) => Math.ceil(ms / stepMs) * stepMs));
    return [nowMs, ...moments].map((atMs) => ({ atMs, future }));
  });
  const sorted = changes.sort((a, b) => a.atMs - b.atMs);
  return new Map(
    [...Map.groupBy(sorted, ({ atMs }) => atMs)].map(([atMs, some]) => [atMs, some.map(({ future }) => future)]),
  );
}

function hostAt({ host, endings }: HostFuture, atMs: number, delays: Delays, places: WaitingPlaces): LockedHost {
  const own =
    places
      .get(host.name)
      ?.at(-1)
      ?.host.promised?.filter(({ reservation }) => reservation === waiting) ?? [];
  const owed = (host.promised ?? []).filter(({ untilMs }) => atMs < untilMs);
  return { ...given(host, endings.filter(goneBy(atMs, delays)), false), promised: [...owed, ...own] };
}

/** How many of them can be launched there at this moment. */
function fitsAt(
  host: LockedHost,
  { product, region, bound, staysMs, untilMs, position }: Demand,
  atMs: number,
): number {
  if (untilMs < atMs - stepMs || (region !== undefined && region !== host.region) || !isWithin(host, bound)) return 0;
  if (host.earmark !== undefined && host.earmark.position < position) return 0;
  const endsMs = staysMs === undefined ? undefined : atMs + staysMs;
  return howManyFit(roomUntil(host, endsMs), product);
}

/** In place of a reservation's id. */
const waiting = "";

/** The host when so many are placed there too. They have it for as long as it matters. */
function withTaken(host: LockedHost, needs: InstanceType, times: number): LockedHost {
  const all = host.promised ?? [];
  const same = all.find((one) => one.reservation === waiting && one.needs === needs);
  const slots = {
    ...{ reservation: waiting, needs, unused: times + (same?.unused ?? 0) },
    ...{ fromMs: 0, keptFromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY },
  };
  return { ...host, promised: [...all.filter((one) => one !== same), slots] };
}

interface Fitting {
  readonly host: LockedHost;
  readonly fits: number;
}

function compare(a: Fitting, b: Fitting): number {
  return a.fits - b.fits || (a.host.name < b.host.name ? -1 : 1);
}
