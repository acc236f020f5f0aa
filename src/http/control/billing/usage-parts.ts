// Control interface: usage by day and by month, for charts and for customers' bookkeeping. A part's cost is exact, so
// days add up to months, and months to the total of `/usage`.

import { type TObject, Type } from "typebox";
import { inTransaction } from "../../../database/transaction.ts";
import { databaseNow, totalCost } from "../../../rental/billing/usage.ts";
import { type PartOf, partsOf, type Unit, type UsagePart, usageParts } from "../../../rental/billing/usage-parts.ts";
import { invalid } from "../../../rental/errors.ts";
import { formatQuery } from "../../api/csv.ts";
import type { Api } from "../../api/operations.ts";
import { type Key, pageQuery } from "../../api/paging.ts";
import { sampleInstance } from "../../api/samples.ts";
import { accountFor, accountQuery } from "../accounts/whose.ts";
import * as field from "../fields.ts";
import { dayQuery, daysOf, monthFrom, monthQuery, monthsOf, type Time } from "./calendar.ts";
import {
  cost,
  costFields,
  reservationOf,
  subjectFields,
  totalFields,
  UsageTotal,
  undelivered,
  undeliveredFields,
} from "./money.ts";
import { usageOf, usageOfQuery } from "./usage-of.ts";

/** The most days in one response; ten years of months are fewer. */
const mostDays = 3660;

const shared = {
  account_id: field.uuid(),
  instance_id: field.orNull(field.uuid(), "With `per=instance`, unless it is a reservation; otherwise null."),
  instance_name: field.orNull(Type.String()),
  seconds: Type.Integer({
    description:
      "Of all its instances and reservations. Those of a reservation and those of the instances that it pays for both count.",
  }),
  ...cost,
  instance_type: field.orNull(Type.String(), "With `per=instance_type`; otherwise null."),
  token_id: field.orNull(
    field.uuid(),
    "With `per=token`: the token that launched the instances, null if unknown. Otherwise null.",
  ),
  instances: Type.Integer({
    description:
      "Number of instances with usage. An instance used on two days counts in both. A reservation counts as one.",
  }),
  ...undelivered,
  reservation_id: field.orNull(field.uuid(), "With `per=instance`, if it is a reservation; otherwise null."),
};
const Day = Type.Object(
  { day: Type.String({ format: "date", examples: ["2026-03-01"] }), ...shared },
  { title: "UsageDay" },
);
const Month = Type.Object({ month: Type.String({ examples: ["2026-03"] }), ...shared }, { title: "UsageMonth" });

const query = {
  ...pageQuery,
  ...formatQuery,
  ...accountQuery("usage"),
  ...usageOfQuery,
  per: Type.Optional(
    Type.Enum([...partsOf], {
      title: "UsagePart",
      description: "Grouping of the lines: by account (the default), instance, instance type or token.",
    }),
  ),
};

const byPart: Key<UsagePart> = {
  of: (part) => part.key,
  accepts: (text) => /^\d{4}-\d{2}(-\d{2})?\/[0-9a-f-]{36}(\/[A-Za-z0-9._-]{1,64})?$/.test(text),
};

const example = {
  account_id: sampleInstance.accountId,
  instance_id: null,
  instance_name: null,
  seconds: 3600,
  ...costFields(224_100_000n),
  instance_type: null,
  token_id: null,
  instances: 1,
  downtime_seconds: 0,
  credit_micro_cents: "0",
  reservation_id: null,
};

export function usagePartRoutes(api: Api): void {
  partRoute(api, "day", {
    path: "/usage/days",
    id: "getUsageByDay",
    line: Day,
    query: Type.Object({ ...query, ...dayQuery({ from: "the first of this month", to: "today" }) }),
    timeOf: daysOf,
    monthsBack: 0,
    example: { day: "2026-03-01", ...example },
  });
  partRoute(api, "month", {
    path: "/usage/months",
    id: "getUsageByMonth",
    line: Month,
    query: Type.Object({ ...query, ...monthQuery({ from: "eleven months ago", to: "this month" }) }),
    timeOf: monthsOf,
    monthsBack: 11,
    example: { month: "2026-03", ...example },
  });
}

interface PartRoute<L extends TObject, Q extends TObject> {
  readonly path: string;
  readonly id: string;
  readonly line: L;
  readonly query: Q;
  readonly timeOf: (asked: { from?: string; to?: string }) => Time;
  /** Where the default period begins. */
  readonly monthsBack: number;
  readonly example: object;
}

function partRoute<L extends TObject, Q extends TObject>(api: Api, unit: Unit, route: PartRoute<L, Q>): void {
  api.get(
    route.path,
    {
      id: route.id,
      tag: "Usage",
      summary: `Read usage by ${unit}`,
      description:
        `Up to now, oldest first, in ${unit}s of UTC; ${unit}s without usage have no line. \`total\` is the cost of ` +
        `all lines, including those on other pages. At most ${mostDays} days per request.`,
      scope: ["read", "operator"],
      query: route.query,
      answer: Type.Object({ data: Type.Array(route.line), total: UsageTotal }),
      example: {
        answer: {
          data: [route.example],
          total: totalFields({ costMicroCents: 224_100_000n, creditMicroCents: 0n }),
        } as never,
      },
      csv: { columns: Object.keys(route.line.properties), rows: (answer) => (answer as { data: object[] }).data },
    },
    ({ db, principal, query: given, page }) => {
      // The common type of both queries: the properties of `query`, and from and to.
      const asked = given as {
        from?: string;
        to?: string;
        account_id?: string;
        instance_id?: string;
        token_id?: string;
        per?: PartOf;
      };
      const time = route.timeOf(asked);
      // One transaction, so that `now` is the same for all lines and they add up to the total.
      return inTransaction(db, async (tx) => {
        const now = await databaseNow(tx);
        const usage = {
          accountId: accountFor(principal, asked.account_id),
          ...usageOf(asked),
          from: time.from ?? monthFrom(time.to ?? now, -route.monthsBack),
          to: time.to,
        };
        refuseTooMuch(usage.from, usage.to ?? now);
        const per = asked.per ?? "account";
        const parts = await page(byPart, (window) => usageParts(tx, { ...window, ...usage, unit, per }));
        const data = parts.map((part) => ({ [unit]: part.part, ...view(part) }));
        return { data, total: totalFields(await totalCost(tx, usage)) } as never;
      });
    },
  );
}

function refuseTooMuch(from: Date, to: Date): void {
  if (to.getTime() - from.getTime() <= mostDays * 86_400_000) return;
  throw invalid("from", `Request at most ${mostDays} days at once.`);
}

function view(part: UsagePart) {
  return {
    account_id: part.accountId,
    ...(part.subject === null ? { instance_id: null, instance_name: null } : subjectFields(part.subject)),
    seconds: part.seconds,
    ...costFields(part.costMicroCents),
    instance_type: part.instanceType,
    token_id: part.tokenId,
    instances: part.instances,
    ...undeliveredFields(part),
    reservation_id: reservationOf(part.subject),
  };
}
