// What a reservation would cost, and whether hosts surely have the capacity, without making it. Names, times and bounds are
// checked by what admit.ts uses too (wanted.ts), so a quote equals the reservation. Used by the control interface.
//
// Invariant: as of now, and nothing is kept for it; quotas and spend limits are not checked.

import type { Database } from "../../database/connect.ts";
import type { MicroCents } from "../../rules/cost.ts";
import { type ReservationBounds, reservationBounds } from "../../rules/reservations.ts";
import type { RegionCapacity } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Service } from "../service.ts";
import { candidatesForNew, chooseHosts } from "./choose-hosts.ts";
import { insufficientFor } from "./insufficient.ts";
import type { ReservationOrder } from "./order.ts";
import { costWithin } from "./spending.ts";
import { wantedOf } from "./wanted.ts";

export interface ReservationQuote {
  readonly product: InstanceType;
  readonly beginsAt: Date;
  readonly endsAt: Date;
  /** Of all of it. */
  readonly cost: MicroCents;
  /** Where it would be; undefined: it does not fit. */
  readonly region: string | undefined;
  /** Until when its account can cancel it; undefined: not at all, as it begins too soon. */
  readonly cancellableUntil: Date | undefined;
  /** If it does not fit: from when on it would, for as long; undefined: not known. */
  readonly fitsFrom: string | undefined;
  /** If it does not fit: how many do, by region. */
  readonly regionsWithCapacity: readonly RegionCapacity[];
}

/** Throws RentalError invalid-parameters, unknown-name. Refresh `service.capacity` before the call: it ranks hosts. */
export async function quoteReservation(
  db: Database,
  service: Service,
  order: Omit<ReservationOrder, "name">,
): Promise<ReservationQuote> {
  const { capacity, limits } = service;
  const { wanted, times } = await wantedOf(db, service, { ...order, name: undefined });
  const { product, quantity } = wanted;
  const { beginsAt, endsAt } = times;
  const bounds = limits.reservations ?? reservationBounds;
  const candidates = await candidatesForNew(db, wanted, wanted.stay);
  const [first] = chooseHosts(capacity.order, candidates, wanted)?.keys() ?? [];
  const priced = {
    product,
    beginsAt,
    endsAt,
    cancellableUntil: cancellableUntil(beginsAt, bounds),
    cost: costWithin({ product, quantity, beginsAt, endsAt }, beginsAt, endsAt),
  };
  if (first !== undefined) {
    const chosen = candidates.futures.find(({ host }) => host.name === first)?.host.region;
    return { ...priced, region: chosen, fitsFrom: undefined, regionsWithCapacity: [] };
  }
  const { reservation, regionsWithCapacity } = insufficientFor(capacity.order, candidates, wanted, bounds).details;
  return { ...priced, region: undefined, fitsFrom: reservation?.fitsFrom, regionsWithCapacity };
}

/** As begin-end.ts decides it. */
function cancellableUntil(beginsAt: Date, { cancelNoticeHours }: ReservationBounds): Date | undefined {
  const until = new Date(beginsAt.getTime() - cancelNoticeHours * 3_600_000);
  return until.getTime() > Date.now() ? until : undefined;
}
