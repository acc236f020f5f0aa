// Control interface: reservations of capacity for a time. An account makes, reads, quotes and cancels its own; operators
// read those of all accounts, with their hosts, and cancel any. What they do: rental/reservations/. Launches use one by
// `reservation_id` (instances/launch.ts).

import { Type } from "typebox";
import { anyRegion } from "../../../rental/catalog/region-store.ts";
import { reserveCapacity } from "../../../rental/reservations/admit.ts";
import { cancelReservation } from "../../../rental/reservations/begin-end.ts";
import { quoteReservation, type ReservationQuote } from "../../../rental/reservations/quote.ts";
import { listReservations, readReservation } from "../../../rental/reservations/reservation-store.ts";
import { reservationBounds } from "../../../rules/reservations.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { sampleInstance } from "../../api/samples.ts";
import { RegionName } from "../../api/schema.ts";
import { givenMoment, parseMoment } from "../../api/timestamps.ts";
import { accountFor, accountQuery } from "../accounts/whose.ts";
import { cost, costFields } from "../billing/money.ts";
import * as field from "../fields.ts";
import { AtOnce } from "./at-once.ts";
import { calendarRoutes } from "./calendar.ts";
import { examples, Reservation, reservationFor, reservationState } from "./view.ts";

const tag = "Reservations";
const { mostDaysAhead, longestDays, shortestMinutes } = reservationBounds;

const instanceType = () => Type.String({ ...limit.name, examples: ["gpu_1x_h100_pcie"] });
const quantity = () =>
  Type.Integer({ ...limit.quantity, minimum: 1, description: "How many instances, all in one region. Default: 1." });
const from = () =>
  givenMoment(`When it begins: up to ${mostDaysAhead} days ahead, unless the operator has set others. Default: now.`);
const to = () =>
  givenMoment(
    `When it ends: ${shortestMinutes} minutes to ${longestDays} days later, unless the operator has set others.`,
  );

const Order = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        ...limit.instanceName,
        description: "1 to 64 characters, not unique. Default: the instance type's name and 8 hexadecimal digits.",
        examples: ["training-week"],
      }),
    ),
    instance_type: instanceType(),
    region: Type.Optional(RegionName),
    quantity: Type.Optional(quantity()),
    from: Type.Optional(from()),
    to: to(),
  },
  { title: "ReservationOrder" },
);

const ReservationQuery = Type.Object({
  ...pageQuery,
  ...accountQuery("reservations"),
  state: Type.Optional(reservationState()),
  from: Type.Optional(givenMoment("Only reservations that end after this time.")),
  to: Type.Optional(givenMoment("Only reservations that begin before this time.")),
});

const Quote = Type.Object(
  {
    instance_type: Type.String(),
    quantity: Type.Integer(),
    from: field.timestamp(),
    to: field.timestamp(),
    price_cents_per_hour: Type.Integer({ description: "Of one." }),
    ...cost,
    cancellable_until: field.orNull(
      field.timestamp(),
      "Until when it can be cancelled: its begin, less the notice that the operator has set. Null: it begins too soon for that.",
    ),
    fits: Type.Boolean({ description: "Whether hosts surely have the capacity then, in one region, as of now." }),
    region: field.orNull(Type.String(), "Where it would be; null: it does not fit."),
    fits_from: field.orNull(
      field.timestamp(),
      "If it does not fit: from when on it would, for as long; null: not known.",
    ),
    fits_in: Type.Array(
      Type.Object({ region: Type.String(), available: Type.Integer() }, { title: "ReservableRegion" }),
      { description: "If it does not fit: how many do then, by region." },
    ),
  },
  { title: "ReservationQuote" },
);

export function reservationRoutes(api: Api): void {
  const atOnce = new AtOnce();
  calendarRoutes(api, atOnce);

  api.get(
    "/reservations",
    {
      id: "listReservations",
      tag,
      summary: "List reservations",
      description:
        "Those of your account, past ones too; with the operator scope of all accounts, with their hosts. In the order in " +
        "which they were made. `from` and `to` find those of a part of a calendar.",
      scope: ["read", "operator"],
      query: ReservationQuery,
      answer: field.many(Reservation),
      example: { answer: { data: [examples.forOperators] } },
    },
    async ({ db, principal, query, page }) => {
      const filter = {
        accountId: accountFor(principal, query.account_id),
        states: query.state === undefined ? undefined : [query.state],
        from: query.from === undefined ? undefined : parseMoment("from", query.from),
        to: query.to === undefined ? undefined : parseMoment("to", query.to),
      };
      const found = await page(byId, (part) => listReservations(db, { ...part, ...filter }));
      return { data: found.map((one) => reservationFor(principal, one)) };
    },
  );

  api.get(
    "/reservations/:id",
    {
      id: "getReservation",
      tag,
      summary: "Read a reservation",
      description: "One of your account; with the operator scope any.",
      scope: ["read", "operator"],
      params: field.IdParam,
      answer: field.one(Reservation),
      example: { answer: { data: examples.forAccount } },
      errors: ["unknown-object"],
    },
    async ({ db, principal, params }) => ({
      data: reservationFor(principal, await readReservation(db, params.id, accountFor(principal, undefined))),
    }),
  );

  api.get(
    "/reservation-quote",
    {
      id: "quoteReservation",
      tag,
      summary: "Quote a reservation",
      description:
        "What a reservation would cost, and whether it would be made now. Does not check quotas and spend limits, and " +
        "reserves nothing.",
      query: Type.Object({
        instance_type: instanceType(),
        region: Type.Optional(RegionName),
        quantity: Type.Optional(quantity()),
        from: Type.Optional(from()),
        to: to(),
      }),
      answer: field.one(Quote),
      example: { answer: { data: quoteView(2, exampleQuote) } },
      errors: ["unknown-name"],
    },
    async ({ db, service, principal, query }) => {
      await service.capacity.refresh();
      const order = orderOf(query);
      const quote = await atOnce.run(principal.accountId, () => quoteReservation(db, service, order));
      return { data: quoteView(order.quantity, quote) };
    },
  );

  api.post(
    "/reservations",
    {
      id: "createReservation",
      tag,
      summary: "Reserve capacity",
      description:
        "Reserves capacity for `quantity` instances from `from` to `to`, if hosts surely have it then; otherwise nothing is " +
        "reserved. All of its time is billed at the price of today, used or not; instances that are launched with its " +
        "`reservation_id` cost nothing by themselves, and end with it.",
      body: Order,
      answer: field.one(Reservation),
      example: {
        request: {
          name: "training-week",
          instance_type: sampleInstance.product.name,
          quantity: 2,
          from: "2026-03-09T08:00:00.000Z",
          to: "2026-03-13T18:00:00.000Z",
        },
        answer: { data: examples.forAccount },
      },
      errors: [
        "unknown-name",
        "insufficient-capacity",
        "quota-exceeded",
        "spend-limit-exceeded",
        "insufficient-balance",
      ],
      // The cache ranks hosts.
      before: () => api.context.service.capacity.refresh(),
    },
    async ({ tx, service, principal, body }) => {
      const made = await reserveCapacity(tx, service, principal, { ...orderOf(body), name: body.name });
      return { data: reservationFor(principal, made) };
    },
  );

  api.post(
    "/reservations/:id/cancel",
    {
      id: "cancelReservation",
      tag,
      summary: "Cancel a reservation",
      description:
        "One that has not begun: it costs nothing then. Later it cannot be cancelled, and is billed to its end; the operator " +
        "can have set a notice before its begin. With the operator scope any that has not begun, at any time.",
      scope: ["write", "operator"],
      namesAccount: true,
      params: field.IdParam,
      answer: field.one(Reservation),
      example: { answer: { data: examples.cancelled } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, service, principal, params }) => {
      const cancelled = await cancelReservation(tx, principal, params.id, service.limits.reservations);
      return { data: reservationFor(principal, cancelled) };
    },
  );
}

interface Asked {
  readonly instance_type: string;
  readonly region?: string;
  readonly quantity?: number;
  readonly from?: string;
  readonly to: string;
}

function orderOf(asked: Asked) {
  return {
    instanceType: asked.instance_type,
    region: asked.region ?? anyRegion,
    quantity: asked.quantity ?? 1,
    from: asked.from === undefined ? undefined : parseMoment("from", asked.from),
    to: parseMoment("to", asked.to),
  };
}

const exampleQuote: ReservationQuote = {
  product: sampleInstance.product,
  beginsAt: new Date("2026-03-09T08:00:00.000Z"),
  endsAt: new Date("2026-03-13T18:00:00.000Z"),
  cost: 52_788_000_000n,
  region: sampleInstance.region.name,
  fitsFrom: undefined,
  cancellableUntil: new Date("2026-03-09T08:00:00.000Z"),
  regionsWithCapacity: [],
};

function quoteView(count: number, quote: ReservationQuote) {
  return {
    instance_type: quote.product.name,
    quantity: count,
    from: quote.beginsAt.toISOString(),
    to: quote.endsAt.toISOString(),
    price_cents_per_hour: quote.product.priceCentsPerHour,
    ...costFields(quote.cost),
    cancellable_until: quote.cancellableUntil?.toISOString() ?? null,
    fits: quote.region !== undefined,
    region: quote.region ?? null,
    fits_from: quote.fitsFrom ?? null,
    fits_in: quote.regionsWithCapacity.map(({ region, fits }) => ({ region, available: fits })),
  };
}
