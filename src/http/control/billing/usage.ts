// Control interface: what was used and what it costs, one line for each instance and each reservation that was
// ever billed.
// An account sees its own; with the operator scope all accounts are seen, or the one asked for.
// Source: decisions, The control API and Money.

import { Type } from "typebox";
import { inTransaction } from "../../../database/transaction.ts";
import { totalCost, type UsageLine, usageLines } from "../../../rental/billing/usage.ts";
import { formatQuery } from "../../api/csv.ts";
import type { Api } from "../../api/operations.ts";
import { type Key, pageQuery } from "../../api/paging.ts";
import { sampleInstance } from "../../api/samples.ts";
import { accountFor, accountQuery } from "../accounts/whose.ts";
import * as field from "../fields.ts";
import { dayQuery, daysOf } from "./calendar.ts";
import {
  cost,
  costFields,
  ofReservation,
  percent,
  reservationOf,
  subjectFields,
  totalFields,
  UsageTotal,
  undelivered,
  undeliveredFields,
} from "./money.ts";
import { usageOf, usageOfQuery } from "./usage-of.ts";

const Line = Type.Object(
  {
    account_id: field.uuid(),
    instance_id: field.orNull(field.uuid(), "Null: the line is of a reservation."),
    instance_name: Type.String({ description: "Or that of the reservation." }),
    instance_type: Type.String(),
    region: Type.String(),
    started_at: Type.String({
      format: "date-time",
      description: "When it was first active, or first stopped; a reservation: when it began.",
    }),
    ended_at: field.orNull(field.timestamp(), "When its termination was requested; null while it is rented."),
    seconds: Type.Integer({ description: "Of a reservation: those of all its quantity, used or not." }),
    price_cents_per_hour: Type.Integer({ description: "Before the discount." }),
    discount_percent: Type.Number(),
    coupon: field.orNull(Type.String()),
    ...cost,
    // Last, because readers of the CSV may count its columns.
    token_id: field.orNull(field.uuid(), "The token that launched it, also after it was revoked; null if unknown."),
    ...undelivered,
    ...ofReservation,
  },
  { title: "UsageLine" },
);

const UsageQuery = Type.Object({
  ...pageQuery,
  ...formatQuery,
  ...accountQuery("usage"),
  ...usageOfQuery,
  ...dayQuery({ from: "from the beginning", to: "up to now" }),
});

const byLine: Key<UsageLine> = { of: (line) => String(line.id), accepts: (text) => /^[1-9]\d{0,14}$/.test(text) };

const example = view({
  id: 1,
  accountId: sampleInstance.accountId,
  subject: { kind: "instance", id: sampleInstance.id, name: sampleInstance.name },
  instanceType: sampleInstance.product.name,
  region: sampleInstance.region.name,
  startedAt: new Date("2026-03-01T12:00:42.000Z"),
  endedAt: new Date("2026-03-01T13:00:42.000Z"),
  quantity: 1,
  noCostReason: null,
  seconds: 3600,
  downtimeSeconds: 0,
  creditMicroCents: 0n,
  priceCentsPerHour: 249,
  discountBasisPoints: 1000,
  couponCode: "SPRING10",
  costMicroCents: 224_100_000n,
  tokenId: "0198c5a0-22bb-7cc3-8dd4-ee55ff667788",
});

export function usageRoutes(api: Api): void {
  api.get(
    "/usage",
    {
      id: "getUsage",
      tag: "Usage",
      summary: "Read usage and its cost",
      description:
        "Up to now, oldest first. With `from` or `to`, `seconds` and cost are those of the requested days. `total` is the " +
        "cost of all lines, including those on other pages.",
      scope: ["read", "operator"],
      query: UsageQuery,
      answer: Type.Object({ data: Type.Array(Line), total: UsageTotal }),
      example: {
        answer: { data: [example], total: totalFields({ costMicroCents: 224_100_000n, creditMicroCents: 0n }) },
      },
      csv: { columns: Object.keys(Line.properties), rows: (answer) => answer.data },
    },
    ({ db, principal, query, page }) => {
      const usage = {
        accountId: accountFor(principal, query.account_id),
        ...usageOf(query),
        ...daysOf(query),
      };
      // One transaction, so that `now` is the same for all lines and they add up to the total.
      return inTransaction(db, async (tx) => {
        const lines = await page(byLine, (window) => usageLines(tx, { ...window, ...usage }));
        return { data: lines.map(view), total: totalFields(await totalCost(tx, usage)) };
      });
    },
  );
}

function view(line: UsageLine) {
  return {
    account_id: line.accountId,
    ...subjectFields(line.subject),
    instance_type: line.instanceType,
    region: line.region,
    started_at: line.startedAt.toISOString(),
    ended_at: line.endedAt?.toISOString() ?? null,
    seconds: line.seconds,
    price_cents_per_hour: line.priceCentsPerHour,
    discount_percent: percent(line.discountBasisPoints),
    coupon: line.couponCode,
    ...costFields(line.costMicroCents),
    token_id: line.tokenId,
    ...undeliveredFields(line),
    reservation_id: reservationOf(line.subject),
    quantity: line.quantity,
    no_cost_reason: line.noCostReason,
  };
}
