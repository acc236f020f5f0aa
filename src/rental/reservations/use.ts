// Launches that use a reservation: its instance type, without a price of its own, in its region, on the hosts that are promised
// to it, until its end. Used by launching/plan.ts, which looks it up, and launching/place.ts, which locks it.
//
// Invariant: it has never more instances than its quantity, and none after its end. Both are checked under its lock.

import type { Database, Transaction } from "../../database/connect.ts";
import { reservationSettings, reservationTraits, scheduledReservation } from "../../rules/reservations.ts";
import type { PlacementRequest } from "../capacity/assign.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import { fieldOf, type LaunchOrder } from "../launching/order.ts";
import { databaseNow } from "../maintenance/begin-end.ts";
import type { Principal, Service } from "../service.ts";
import { beginIfDue, changedMeanwhile } from "./begin-end.ts";
import { lockWithHosts, type ReadReservation, readReservation } from "./reservation-store.ts";

/** What a launch has by its reservation. */
export interface Reserved {
  readonly id: string;
  readonly product: InstanceType;
  readonly region: string;
  /** Its instances end then at the latest. */
  readonly until: Date;
}

/**
 * Undefined: the order names no reservation. Throws RentalError unknown-name, invalid-parameters (what contradicts it), and
 * conflict: it has not begun, or is over.
 */
export async function reservedFor(
  tx: Transaction,
  principal: Principal,
  order: LaunchOrder,
): Promise<Reserved | undefined> {
  if (order.reservationId === undefined) return undefined;
  const field = fieldOf(order, "reservationId");
  if (order.spot === true)
    throw invalid(fieldOf(order, "spot"), "An instance of a reservation is never spot: omit spot, or the reservation.");
  const reservation = await reservationNamed(tx, principal, order.reservationId, field);
  const { id, product, region, endsAt } = reservation;
  refuseUnlessBegun(reservation, await databaseNow(tx));
  if (order.instanceType !== product.name)
    throw invalid(fieldOf(order, "instanceType"), `The reservation is of ${product.name}.`);
  if (order.region !== "any" && order.region !== region)
    throw invalid(fieldOf(order, "region"), `The reservation is in region ${region}.`);
  if (order.coupon !== undefined)
    throw invalid(fieldOf(order, "coupon"), "An instance of a reservation has no price of its own: remove the coupon.");
  return { id, product: { ...product, priceCentsPerHour: 0 }, region, until: endsAt };
}

/** The account's reservation of this id, as the client wrote it. Throws RentalError unknown-name with `field`. */
export async function reservationNamed(
  db: Database,
  { accountId }: Pick<Principal, "accountId">,
  id: string,
  field: string,
): Promise<ReadReservation> {
  try {
    return await readReservation(db, id, accountId);
  } catch (error) {
    if (!(error instanceof RentalError) || error.kind !== "unknown-object") throw error;
    throw unknownName(field, "reservation", id);
  }
}

/**
 * The request on the hosts of the reservation, which are locked with it; it begins if it is due. Throws RentalError conflict:
 * it is not active, or has not so many slots left.
 */
export async function onReservedHosts<W extends PlacementRequest>(
  tx: Transaction,
  service: Pick<Service, "reservations">,
  want: W,
): Promise<W> {
  if (want.reservation === undefined) return want;
  const { toleranceSeconds } = service.reservations ?? reservationSettings;
  if ((await lockWithHosts(tx, want.reservation)) === undefined) throw changedMeanwhile(want.reservation);
  await beginIfDue(tx, want.reservation, { toleranceSeconds });
  const reservation = await readReservation(tx, want.reservation);
  const { id, state, quantity, used, hosts, endsAt } = reservation;
  if (!reservationTraits[state].isInForce || endsAt <= (await databaseNow(tx))) throw notActive(reservation);
  if (used + want.instanceIds.length > quantity) {
    throw new RentalError("conflict", {
      message: `Of the reservation ${id}, ${used} of ${quantity} are in use, and ${want.instanceIds.length} more would be needed.`,
      suggestion: "Launch fewer, or terminate instances of the reservation first.",
    });
  }
  return { ...want, bound: { ...want.bound, among: hosts.map(({ host }) => host) } };
}

function refuseUnlessBegun(reservation: ReadReservation, now: Date): void {
  const { state, beginsAt } = reservation;
  // One that is due begins with the launch.
  if (reservationTraits[state].isInForce || (state === scheduledReservation && beginsAt <= now)) return;
  throw notActive(reservation);
}

function notActive({ id, state, beginsAt }: ReadReservation): RentalError {
  const isAhead = reservationTraits[state].isOpen;
  return new RentalError("conflict", {
    message: `The reservation ${id} is ${state}${isAhead ? ` and begins at ${beginsAt.toISOString()}` : ""}.`,
    suggestion: isAhead ? "Launch with it once it is active." : "Launch without it, or reserve again.",
  });
}
