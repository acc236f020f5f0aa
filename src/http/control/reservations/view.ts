// A reservation in responses of the control interface. Used by reservations.ts. Invariant: an account does not see hosts.

import { Type } from "typebox";
import type { ReadReservation } from "../../../rental/reservations/reservation-store.ts";
import { costWithin } from "../../../rental/reservations/spending.ts";
import type { Principal } from "../../../rental/service.ts";
import { reservationStates, reservationTraits } from "../../../rules/reservations.ts";
import { sampleInstance } from "../../api/samples.ts";
import { cost, costFields, undelivered } from "../billing/money.ts";
import * as field from "../fields.ts";

export const reservationState = () =>
  Type.Enum(reservationStates, {
    title: "ReservationState",
    description: reservationStates.map((one) => `\`${one}\`: ${reservationTraits[one].meaning}`).join(" "),
  });

const ReservedHost = Type.Object(
  {
    host: Type.String(),
    slots: Type.Integer({ description: "How many of its instances the host is promised for." }),
    used: Type.Integer({ description: "How many of them are in use." }),
    undelivered: Type.Integer({ description: "How many of them cannot be used, because of the host." }),
  },
  { title: "ReservedHost" },
);

/** The account's view; the operator scope sees all fields. */
export const Reservation = Type.Object(
  {
    id: field.uuid(),
    account_id: field.uuid(),
    token_id: Type.String({ format: "uuid", description: "The token that made it, whose spend limit counts." }),
    name: Type.String(),
    state: reservationState(),
    instance_type: Type.String({
      description: "Its instances are of this type as it was when the reservation was made.",
    }),
    region: Type.String(),
    quantity: Type.Integer(),
    used: Type.Integer({ description: "How many instances use it." }),
    undelivered: Type.Integer({
      description:
        "How many of its quantity cannot be used now, because hosts failed. It is credited if it takes long.",
    }),
    from: Type.String({ format: "date-time", description: "When it begins." }),
    to: Type.String({ format: "date-time", description: "When it ends, and its instances with it." }),
    price_cents_per_hour: Type.Integer({ description: "Of one, as it was when the reservation was made." }),
    ...cost,
    credit_micro_cents: undelivered.credit_micro_cents,
    reason: field.orNull(Type.String(), "Why it is unfulfilled."),
    created_at: field.timestamp(),
    started_at: field.orNull(field.timestamp(), "When it began; null: it has not. It is billed from then on."),
    ended_at: field.orNull(field.timestamp(), "When it was over; null: it is not."),
    hosts: Type.Optional(Type.Array(ReservedHost, { description: "Where its capacity is, until it is over." })),
    at_risk_since: Type.Optional(
      field.orNull(
        field.timestamp(),
        "Since when hosts cannot keep what is promised, and no others can; null: they can.",
      ),
    ),
  },
  { title: "Reservation" },
);

export function reservationFor(principal: Pick<Principal, "scopes">, reservation: ReadReservation) {
  return principal.scopes.has("operator") ? forOperators(reservation) : forAccount(reservation);
}

/** `cost_micro_cents`: of all of its time. */
function forAccount(reservation: ReadReservation) {
  const { state, product, beginsAt, endsAt, startedAt } = reservation;
  const billed = { ...reservation, beginsAt: startedAt ?? beginsAt };
  const whole = reservationTraits[state].isWithoutCost ? 0n : costWithin(billed, billed.beginsAt, endsAt);
  return {
    id: reservation.id,
    account_id: reservation.accountId,
    token_id: reservation.tokenId,
    name: reservation.name,
    state,
    instance_type: product.name,
    region: reservation.region,
    quantity: reservation.quantity,
    used: reservation.used,
    undelivered: reservation.undelivered,
    from: beginsAt.toISOString(),
    to: endsAt.toISOString(),
    price_cents_per_hour: product.priceCentsPerHour,
    ...costFields(whole),
    credit_micro_cents: String(reservation.creditMicroCents),
    reason: reservation.reason,
    created_at: reservation.createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    ended_at: reservation.endedAt?.toISOString() ?? null,
  };
}

function forOperators(reservation: ReadReservation) {
  return {
    ...forAccount(reservation),
    hosts: reservation.hosts.map(({ host, slots, used, undelivered: missing }) => ({
      ...{ host, slots, used, undelivered: missing },
    })),
    at_risk_since: reservation.atRiskSince?.toISOString() ?? null,
  };
}

const exampleReservation: ReadReservation = {
  id: "0198c5d3-5c52-7c4e-9d0c-0a3c5f1f2b6d",
  accountId: sampleInstance.accountId,
  tokenId: "0198c5a1-22bb-7cc3-8dd4-ee55ff667788",
  name: "training-week",
  state: "scheduled",
  region: sampleInstance.region.name,
  product: sampleInstance.product,
  quantity: 2,
  beginsAt: new Date("2026-03-09T08:00:00.000Z"),
  endsAt: new Date("2026-03-13T18:00:00.000Z"),
  handoverSeconds: 900,
  createdAt: new Date("2026-03-01T12:00:00.000Z"),
  startedAt: null,
  beginsLate: false,
  endedAt: null,
  reason: null,
  warnedSeconds: null,
  atRiskSince: null,
  hosts: [
    {
      ...{ host: sampleInstance.host, slots: 2, used: 0, undelivered: 0 },
      ...{ undeliveredSince: null, settledUntil: null },
    },
  ],
  used: 0,
  undelivered: 0,
  creditMicroCents: 0n,
};

/** For the document. */
export const examples = {
  forAccount: forAccount(exampleReservation),
  forOperators: forOperators(exampleReservation),
  cancelled: forAccount({
    ...exampleReservation,
    state: "cancelled",
    hosts: [],
    endedAt: new Date("2026-03-02T09:30:00.000Z"),
  }),
};
