// The rejection of a reservation for which hosts do not surely have the capacity: where fewer would fit at that time, and
// from when on all would, as far as that is quickly found, and whether launches that wait need it first. Used by admit.ts and
// quote.ts.

import type { ReservationBounds } from "../../rules/reservations.ts";
import type { HostOrder } from "../capacity/host-order.ts";
import { howManyFit } from "../capacity/requirements.ts";
import { type RegionCapacity, RentalError } from "../errors.ts";
import { type Candidates, chooseHosts, type SlotsWanted, slotRoom } from "./choose-hosts.ts";

/** Begins that are tried, and hosts among which. */
const mostTries = 40;
const mostHosts = 1000;

export function insufficientFor(
  order: HostOrder,
  candidates: Candidates,
  wanted: SlotsWanted,
  bounds: ReservationBounds,
): RentalError<"insufficient-capacity"> {
  const { product, region, quantity, stay } = wanted;
  const fitsFromMs = candidates.futures.length > mostHosts ? undefined : laterBegin(order, candidates, wanted, bounds);
  const asText = (ms: number) => new Date(ms).toISOString();
  return new RentalError("insufficient-capacity", {
    instanceType: product.name,
    region: region ?? "any",
    quantity,
    regionsWithCapacity: fitsByRegion(candidates, wanted),
    reservation: {
      from: asText(stay.fromMs),
      to: asText(stay.endsMs),
      ...(fitsFromMs !== undefined && { fitsFrom: asText(fitsFromMs) }),
      ...(isWaitedFor(order, candidates, wanted) && { isWaitedFor: true }),
    },
  });
}

/** Whether it would fit if no launch waited. */
function isWaitedFor(order: HostOrder, candidates: Candidates, wanted: SlotsWanted): boolean {
  if (candidates.waiting === undefined) return false;
  return chooseHosts(order, { futures: candidates.futures }, wanted) !== undefined;
}

function fitsByRegion({ futures, waiting }: Candidates, { product, quantity, stay }: SlotsWanted): RegionCapacity[] {
  const fits = new Map<string, number>();
  for (const future of futures) {
    const here = howManyFit(slotRoom(future, stay, waiting), product);
    const { region } = future.host;
    if (here > 0) fits.set(region, Math.min((fits.get(region) ?? 0) + here, quantity));
  }
  return [...fits].sort(([a], [b]) => (a < b ? -1 : 1)).map(([region, here]) => ({ region, fits: here }));
}

/** The first later begin at which it would fit for as long; undefined: none was found. Room comes when something ends. */
function laterBegin(
  order: HostOrder,
  candidates: Candidates,
  wanted: SlotsWanted,
  { mostDaysAhead }: ReservationBounds,
): number | undefined {
  const { fromMs, endsMs, handoverMs, noticeMs } = wanted.stay;
  const ends = candidates.futures.flatMap(({ host, endings, windows }) => [
    ...endings.map(({ endsMs: ends, seenMs }) => (ends ?? seenMs + noticeMs) + handoverMs),
    ...(host.promised ?? []).map(({ untilMs }) => untilMs),
    ...windows.map(({ untilMs }) => untilMs),
  ]);
  const latest = Date.now() + mostDaysAhead * 86_400_000;
  // Whole minutes are easier to read, and to ask for.
  const begins = ends.map((ms) => Math.ceil(ms / 60_000) * 60_000).filter((ms) => fromMs < ms && ms <= latest);
  const tried = [...new Set(begins)].sort((a, b) => a - b).slice(0, mostTries);
  return tried.find((ms) => {
    const stay = { fromMs: ms, endsMs: ms + endsMs - fromMs, handoverMs, noticeMs };
    return chooseHosts(order, candidates, { ...wanted, stay }) !== undefined;
  });
}
