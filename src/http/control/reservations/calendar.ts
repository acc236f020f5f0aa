// Control interface: how much of an instance type could be reserved over a time, for calendars. Used by reservations.ts.

import { Type } from "typebox";
import { anyRegion } from "../../../rental/catalog/region-store.ts";
import { calendarDays, reservationCalendar } from "../../../rental/reservations/calendar.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { sampleInstance } from "../../api/samples.ts";
import { RegionName } from "../../api/schema.ts";
import { givenMoment, parseMoment } from "../../api/timestamps.ts";
import * as field from "../fields.ts";
import type { AtOnce } from "./at-once.ts";

const Step = Type.Object(
  {
    from: field.timestamp(),
    to: field.timestamp(),
    available: Type.Integer({ description: "How many instances could be reserved for all of the step, as of now." }),
  },
  { title: "CalendarStep" },
);

const Calendar = Type.Object(
  {
    instance_type: Type.String(),
    regions: Type.Array(
      Type.Object(
        { region: Type.String(), steps: Type.Array(Step, { description: "Without gaps, in order." }) },
        { title: "CalendarRegion" },
      ),
      { description: "By name." },
    ),
  },
  { title: "ReservationCalendar" },
);

export function calendarRoutes(api: Api, atOnce: AtOnce): void {
  api.get(
    "/reservation-calendar",
    {
      id: "readReservationCalendar",
      tag: "Reservations",
      summary: "Read the calendar of what can be reserved",
      description:
        "How many instances of a type could be reserved, step by step. A reservation over several steps can find less: what is " +
        "free in each is not always on the same hosts. The quote knows.",
      query: Type.Object({
        instance_type: Type.String({ ...limit.name, examples: [sampleInstance.product.name] }),
        region: Type.Optional(RegionName),
        from: Type.Optional(givenMoment("Default, and the earliest: now.")),
        to: Type.Optional(
          givenMoment(`Up to ${calendarDays.most} days later. Default: ${calendarDays.default} days later.`),
        ),
      }),
      answer: field.one(Calendar),
      example: { answer: { data: example } },
      errors: ["unknown-name"],
    },
    async ({ db, service, principal, query }) => {
      const order = {
        instanceType: query.instance_type,
        region: query.region ?? anyRegion,
        from: query.from === undefined ? undefined : parseMoment("from", query.from),
        to: query.to === undefined ? undefined : parseMoment("to", query.to),
      };
      const { product, regions } = await atOnce.run(principal.accountId, () => reservationCalendar(db, service, order));
      return {
        data: {
          instance_type: product.name,
          regions: regions.map(({ region, steps }) => ({
            region,
            steps: steps.map(({ fromMs, toMs, available }) => ({ from: at(fromMs), to: at(toMs), available })),
          })),
        },
      };
    },
  );
}

const at = (ms: number): string => new Date(ms).toISOString();

const example = {
  instance_type: sampleInstance.product.name,
  regions: [
    {
      region: sampleInstance.region.name,
      steps: [
        { from: "2026-03-01T12:00:00.000Z", to: "2026-03-09T06:00:00.000Z", available: 4 },
        { from: "2026-03-09T06:00:00.000Z", to: "2026-03-15T12:00:00.000Z", available: 2 },
      ],
    },
  ],
};
