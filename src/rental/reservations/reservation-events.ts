// Events of reservations: `reservation.scheduled` and each state that follows, `reservation.ending` before the end, and for
// operators `reservation.at_risk`. Written in the transaction of the change.

import type { ReservationState } from "../../rules/reservations.ts";
import type { NewEvent } from "../events/record.ts";
import type { Reservation } from "./reservation.ts";

/** That it is in this state now. */
export function reservationEvent(reservation: Reservation): NewEvent {
  const type: `reservation.${ReservationState}` = `reservation.${reservation.state}`;
  return { accountId: reservation.accountId, type, subjectId: reservation.id, data: dataOf(reservation) };
}

/** That it ends so soon. */
export function endingEvent(reservation: Reservation): NewEvent {
  return { ...reservationEvent(reservation), type: "reservation.ending" };
}

/** For operators: hosts cannot keep what is promised, and no others can. */
export function atRiskEvent(reservation: Reservation, hosts: Readonly<Record<string, number>>): NewEvent {
  const data = { ...dataOf(reservation), account_id: reservation.accountId, hosts };
  return { accountId: null, type: "reservation.at_risk", subjectId: reservation.id, data };
}

function dataOf({ id, name, state, product, region, quantity, beginsAt, endsAt, reason }: Reservation) {
  return {
    reservation: {
      ...{ id, name, state, instance_type: product.name, region, quantity },
      ...{ from: beginsAt.toISOString(), to: endsAt.toISOString(), reason },
    },
  };
}
