// Reservations in the fixed world: one that lasts, one that lies ahead and is at risk, one of another account, one that is
// over; and the calendar of what can be reserved beside them.

import type { Shape } from "../../../../src/client/client.ts";
import { tokens } from "./accounts.ts";
import { ago, costOf, day, fixedNow, hour, idOf, inTime } from "./moments.ts";

type Reservation = Shape<"Reservation">;

const ofOwn = { account_id: idOf("account", 2), token_id: tokens[0]?.id ?? "" };

export const reservations: Reservation[] = [
  reservation(1, "evaluation", { from: ago(30 * hour), to: inTime(2 * day), quantity: 2, used: 1, state: "active" }),
  reservation(2, "training-week", {
    from: inTime(3 * day),
    to: inTime(10 * day),
    quantity: 3,
    at_risk_since: ago(hour),
  }),
  reservation(3, "rendering", {
    from: inTime(2 * day),
    to: inTime(5 * day),
    region: "us-west-1",
    account_id: idOf("account", 3),
  }),
  reservation(4, "demo-day", { from: ago(9 * day), to: ago(8 * day), state: "ended", hosts: [] }),
];

function reservation(number: number, name: string, more: Partial<Reservation>): Reservation {
  const { quantity = 1, from = ago(0), to = ago(0), state = "scheduled" } = more;
  const hours = (Date.parse(to) - Date.parse(from)) / 3_600_000;
  return {
    ...{ id: idOf("reservation", number), ...ofOwn, name, state, instance_type: "gpu_1x_a10", region: "us-east-1" },
    ...{ quantity, used: 0, undelivered: 0, from, to, price_cents_per_hour: 75, ...costOf(quantity * hours * 75) },
    ...{ credit_micro_cents: "0", reason: null, created_at: ago(12 * day), at_risk_since: null },
    started_at: state === "scheduled" ? null : from,
    ended_at: state === "ended" ? to : null,
    hosts: [{ host: "us-east-1-a10-01", slots: quantity, used: 0, undelivered: 0 }],
    ...more,
  };
}

const from = fixedNow.getTime();
const stepsOf = (ends: readonly (readonly [days: number, available: number])[]) =>
  ends.map(([days, available], index) => ({
    from: new Date(from + (ends[index - 1]?.[0] ?? 0) * day * 1000).toISOString(),
    to: new Date(from + days * day * 1000).toISOString(),
    available,
  }));

export const calendar: Shape<"ReservationCalendar"> = {
  instance_type: "gpu_1x_a10",
  regions: [
    { region: "eu-central-1", steps: stepsOf([[14, 4]]) },
    {
      region: "us-east-1",
      steps: stepsOf([
        [2, 5],
        [3, 7],
        [10, 4],
        [14, 7],
      ]),
    },
    {
      region: "us-west-1",
      steps: stepsOf([
        [2, 1],
        [5, 0],
        [14, 1],
      ]),
    },
  ],
};

export const reservationQuote: Shape<"ReservationQuote"> = {
  ...{ instance_type: "gpu_1x_a10", quantity: 1, from: inTime(hour), to: inTime(25 * hour) },
  ...{ price_cents_per_hour: 75, ...costOf(24 * 75) },
  ...{ cancellable_until: inTime(hour), fits: true, region: "us-east-1", fits_from: null, fits_in: [] },
};
