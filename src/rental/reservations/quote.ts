// What a reservation would cost, and whether hosts surely have the capacity, without making it. Names, times and bounds are
// checked by the functions that make one (admit.ts), so a quote equals the reservation. Used by the control interface.
//
// Invariant: as of now, and nothing is kept for it; quotas and spend limits are not checked.

import type { Database } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import type { MicroCents } from "../../rules/cost.ts";
import { reservationBounds, reservationSettings } from "../../rules/reservations.ts";
import { instanceTypesNamed, productNamed } from "../catalog/instance-type-store.ts";
import { allRegions, regionAsked } from "../catalog/region-store.ts";
import type { RegionCapacity } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import { databaseNow } from "../maintenance/begin-end.ts";
import type { Service } from "../service.ts";
import { candidatesFor, chooseHosts } from "./choose-hosts.ts";
import { insufficientFor } from "./insufficient.ts";
import { checkReservationOrder, noticeMsOf, type ReservationOrder, timesOf } from "./order.ts";
import { costWithin } from "./spending.ts";

export interface ReservationQuote {
  readonly product: InstanceType;
  readonly beginsAt: Date;
  readonly endsAt: Date;
  /** Of all of it. */
  readonly cost: MicroCents;
  /** Where it would be; undefined: it does not fit. */
  readonly region: string | undefined;
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
  const { limits, capacity } = service;
  const { quantity, instanceType } = order;
  checkReservationOrder({ ...order, name: undefined }, limits);
  const named = await ask(db, instanceTypesNamed(db, [instanceType]));
  const product = productNamed(named, instanceType, "instance_type");
  const region = regionAsked(await ask(db, allRegions(db)), order.region, "region");
  const bounds = limits.reservations ?? reservationBounds;
  const { beginsAt, endsAt } = timesOf(order, bounds, await databaseNow(db));
  const { handoverSeconds } = service.reservations ?? reservationSettings;
  const stay = {
    fromMs: beginsAt.getTime(),
    endsMs: endsAt.getTime(),
    handoverMs: handoverSeconds * 1000,
    noticeMs: noticeMsOf(limits),
  };
  const wanted = { product, region, quantity, stay, bootSeconds: limits.bootSeconds };
  const candidates = await candidatesFor(db, wanted);
  const [first] = chooseHosts(capacity.order, candidates, wanted)?.keys() ?? [];
  const priced = {
    product,
    beginsAt,
    endsAt,
    cost: costWithin({ product, quantity, beginsAt, endsAt }, beginsAt, endsAt),
  };
  if (first !== undefined) {
    const chosen = candidates.futures.find(({ host }) => host.name === first)?.host.region;
    return { ...priced, region: chosen, fitsFrom: undefined, regionsWithCapacity: [] };
  }
  const { reservation, regionsWithCapacity } = insufficientFor(capacity.order, candidates, wanted, bounds).details;
  return { ...priced, region: undefined, fitsFrom: reservation?.fitsFrom, regionsWithCapacity };
}
