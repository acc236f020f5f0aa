// What an order of a reservation wants of hosts, and when, with its names and times checked. Used by admit.ts and quote.ts: so
// that a quote equals the reservation.

import type { Database } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { reservationBounds, reservationSettings } from "../../rules/reservations.ts";
import { instanceTypesNamed, productNamed } from "../catalog/instance-type-store.ts";
import { allRegions, regionAsked } from "../catalog/region-store.ts";
import { databaseNow } from "../maintenance/begin-end.ts";
import type { Service } from "../service.ts";
import type { SlotsWanted } from "./choose-hosts.ts";
import { checkReservationOrder, noticeMsOf, type ReservationOrder, timesOf } from "./order.ts";

export interface WantedReservation {
  readonly wanted: SlotsWanted;
  readonly times: { readonly beginsAt: Date; readonly endsAt: Date; readonly handoverSeconds: number };
  /** Of the database. */
  readonly now: Date;
}

/** Throws RentalError invalid-parameters, unknown-name. */
export async function wantedOf(
  db: Database,
  { limits, reservations: settings = reservationSettings }: Service,
  order: ReservationOrder,
): Promise<WantedReservation> {
  checkReservationOrder(order, limits);
  const { instanceType, quantity } = order;
  const named = await ask(db, instanceTypesNamed(db, [instanceType]));
  const product = productNamed(named, instanceType, "instance_type");
  const region = regionAsked(await ask(db, allRegions(db)), order.region, "region");
  const now = await databaseNow(db);
  const { handoverSeconds } = settings;
  const { beginsAt, endsAt } = timesOf(order, limits.reservations ?? reservationBounds, now);
  const stay = {
    fromMs: beginsAt.getTime(),
    endsMs: endsAt.getTime(),
    handoverMs: handoverSeconds * 1000,
    noticeMs: noticeMsOf(limits),
  };
  const wanted = { product, region, quantity, stay, bootSeconds: limits.bootSeconds };
  return { wanted, times: { beginsAt, endsAt, handoverSeconds }, now };
}
