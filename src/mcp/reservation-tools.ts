// Reservations: capacity that is promised to the account for a time, and billed as a whole, used or not. So the agent passes
// the cost that it expects, and a lost response must not cause a second reservation (launch-tool.ts).

import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { checked, ReservationQuoteRecord, ReservationRecord, ReservationRecords } from "./records.ts";
import { ServiceError } from "./service-client.ts";
import { tool } from "./tool.ts";
import { dollars } from "./view.ts";

const path = "/reservations";

const order = {
  instance_type: Type.String({ description: "The name of an instance type, as list_products shows it." }),
  region: Type.Optional(
    Type.String({ description: "The name of a region. Default: the best one that has the capacity." }),
  ),
  quantity: Type.Optional(
    Type.Integer({ minimum: 1, description: "Number of instances, all in one region. Default: 1." }),
  ),
  from: Type.Optional(Type.String({ description: "When it begins (RFC 3339). Default: now." })),
  to: Type.String({ description: "When it ends (RFC 3339), and the instances that use it." }),
};

const Order = Type.Object(order);
type Order = Readonly<{ instance_type: string; region?: string; quantity?: number; from?: string; to: string }>;

export const listReservations = tool("reads", {
  name: "list_reservations",
  title: "List reservations",
  description: "Lists the account's reservations, with their state, their use and their cost; past ones too.",
  input: Type.Object({}),
  async run({ service }) {
    const all = checked(ReservationRecords, await service.call({ interface: "control", method: "GET", path }));
    const text = all.length === 0 ? "No reservations." : all.map(reservationLine).join("\n");
    return { text, data: { reservations: all } };
  },
});

export const quoteReservation = tool("reads", {
  name: "quote_reservation",
  title: "Quote a reservation",
  description: "Shows what a reservation would cost, and whether there is surely the capacity then. Reserves nothing.",
  input: Order,
  async run({ input, service }) {
    const quote = await quoteOf(service, input);
    return { text: quoteLine(quote), data: { quote } };
  },
});

export const reserveCapacity = tool("makes", {
  name: "reserve_capacity",
  title: "Reserve capacity",
  description:
    "Reserves capacity for a time, if there surely is enough then. All of that time is billed, used or not. It can be cancelled " +
    "before it begins. Instances are launched with launch_instance and its reservation_id once it is active.",
  input: Type.Object({
    ...order,
    name: Type.Optional(Type.String({ description: "A name of 1 to 64 characters." })),
    max_cost_cents: Type.Integer({
      minimum: 0,
      description: "Maximum cost of all of it, as quote_reservation shows it: nothing is reserved if it costs more.",
    }),
    idempotency_key: Type.Optional(
      Type.String({
        pattern: "^[\\x21-\\x7e]{1,255}$",
        description:
          "1 to 255 visible ASCII characters, unique to this reservation; to retry one whose response was lost.",
      }),
    ),
  }),
  async run({ input, service }) {
    const { idempotency_key: idempotencyKey = randomUUID(), max_cost_cents: most, ...body } = input;
    const { name: _, ...quoted } = body;
    const { cost_cents: cents } = await quoteOf(service, quoted);
    if (Number(cents) > most)
      throw new ServiceError({
        message: `It costs ${dollars(Number(cents))}, more than ${dollars(most)}. Nothing was reserved.`,
        suggestion: "Reserve less, or raise max_cost_cents.",
      });
    const answer = await service.call({ interface: "control", method: "POST", path, body, idempotencyKey });
    const reservation = checked(ReservationRecord, answer);
    const text = reservationLine(reservation);
    return { text, data: { reservation, idempotency_key: idempotencyKey } };
  },
});

export const cancelReservation = tool("destroys", {
  name: "cancel_reservation",
  title: "Cancel a reservation",
  description: "Cancels a reservation that has not begun: it costs nothing, and its capacity is free for others.",
  input: Type.Object({ reservation_id: Type.String({ description: "Its ID, as list_reservations shows it." }) }),
  async run({ input, service }) {
    const one = `${path}/${encodeURIComponent(input.reservation_id)}/cancel`;
    const reservation = checked(
      ReservationRecord,
      await service.call({ interface: "control", method: "POST", path: one }),
    );
    return { text: reservationLine(reservation), data: { reservation } };
  },
});

async function quoteOf(
  service: Parameters<(typeof quoteReservation)["run"]>[0]["service"],
  asked: Order,
): Promise<ReservationQuoteRecord> {
  const query = new URLSearchParams(Object.entries(asked).map(([name, value]): [string, string] => [name, `${value}`]));
  const of = `/reservation-quote?${query}`;
  return checked(ReservationQuoteRecord, await service.call({ interface: "control", method: "GET", path: of }));
}

/** "active: 2 of gpu_8x_h100 in us-east-1, 1 used, from … to …, $96.00 in total [id]" */
function reservationLine(one: ReservationRecord): string {
  const { id, name, state, quantity, instance_type: type, region, used, from, to, cost_cents: cents, reason } = one;
  const why = reason === null ? "" : ` ${reason}`;
  return `${state}: ${quantity} of ${type} in ${region}, ${used} used, from ${from} to ${to}, ${dollars(Number(cents))} in total (${name}).${why} [${id}]`;
}

function quoteLine({ quantity, instance_type: type, from, to, cost_cents: cents, ...quote }: ReservationQuoteRecord) {
  const what = `${quantity} of ${type} from ${from} to ${to}: ${dollars(Number(cents))} in total.`;
  if (quote.fits) return `${what} It fits in ${quote.region}.`;
  const later = quote.fits_from === null ? "" : ` It would fit for as long from ${quote.fits_from} on.`;
  const fewer = quote.fits_in.map(({ region, available }) => ` ${available} fit in ${region}.`).join("");
  return `${what} There is not surely enough capacity.${later}${fewer}`;
}
