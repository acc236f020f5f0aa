// Control interface: monthly statements, a line for each instance and each reservation that was used. An account reads its own; operators
// those of all accounts, or of one. Numbers of a closed month never change.

import { Type } from "typebox";
import { inTransaction } from "../../../database/transaction.ts";
import {
  listStatements,
  type StatementLine,
  type StatementSum,
  statementLines,
  statementSum,
} from "../../../rental/billing/statements.ts";
import { formatQuery } from "../../api/csv.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { type Key, pageQuery } from "../../api/paging.ts";
import { sampleInstance } from "../../api/samples.ts";
import { accountFor, accountQuery } from "../accounts/whose.ts";
import * as field from "../fields.ts";
import { parseMonth } from "./calendar.ts";
import {
  cost,
  costFields,
  ofReservation,
  percent,
  reservationOf,
  subjectFields,
  undelivered,
  undeliveredFields,
} from "./money.ts";

const sums = {
  month: Type.String({ examples: ["2026-03"] }),
  closed_at: field.orNull(field.timestamp(), "When it became final. Null: the month has not ended, or ended just now."),
  instances: Type.Integer({ description: "Number of lines: instances, and reservations." }),
  seconds: Type.Integer({
    description: "Of all lines. Those of a reservation and those of the instances that it pays for both count.",
  }),
  ...cost,
  ...undelivered,
};
const Listed = Type.Object({ account_id: field.uuid(), ...sums }, { title: "ListedStatement" });

const Line = Type.Object(
  {
    account_id: field.uuid(),
    month: Type.String({ examples: ["2026-03"] }),
    instance_id: field.orNull(field.uuid(), "Null: the line is of a reservation."),
    instance_name: Type.String({ description: "Or that of the reservation." }),
    instance_type: Type.String(),
    region: Type.String(),
    seconds: Type.Integer({ description: "Of a reservation: those of all its quantity, used or not." }),
    price_cents_per_hour: Type.Integer({ description: "Before the discount." }),
    discount_percent: Type.Number(),
    coupon: field.orNull(Type.String()),
    ...cost,
    ...undelivered,
    ...ofReservation,
  },
  { title: "StatementLine" },
);
const Statement = Type.Object(
  {
    account_id: field.orNull(field.uuid(), "Null for all accounts."),
    ...sums,
    lines: Type.Array(Line),
  },
  { title: "Statement" },
);

const query = Type.Object({ ...pageQuery, ...formatQuery, ...accountQuery("statements") });
const MonthParam = Type.Object({
  month: Type.String({ ...limit.month, description: "In UTC.", examples: ["2026-03"] }),
});

const byStatement: Key<StatementSum> = {
  of: ({ key }) => key,
  accepts: (text) => /^\d{4}-\d{2}\/[0-9a-f-]{36}$/.test(text),
};
const byLine: Key<StatementLine> = {
  of: ({ key }) => key,
  accepts: (text) => /^[0-9a-f-]{36}\/[0-9a-f-]{36}$/.test(text),
};

const exampleSum = sumView({
  month: "2026-03",
  closedAt: new Date("2026-04-01T01:00:05.000Z"),
  instances: 1,
  seconds: 3600,
  downtimeSeconds: 0,
  creditMicroCents: 0n,
  costMicroCents: 224_100_000n,
});
const exampleLine = lineView("2026-03", {
  key: "",
  accountId: sampleInstance.accountId,
  subject: { kind: "instance", id: sampleInstance.id, name: sampleInstance.name },
  instanceType: sampleInstance.product.name,
  region: sampleInstance.region.name,
  quantity: 1,
  noCostReason: null,
  seconds: 3600,
  downtimeSeconds: 0,
  creditMicroCents: 0n,
  priceCentsPerHour: 249,
  discountBasisPoints: 1000,
  couponCode: "SPRING10",
  costMicroCents: 224_100_000n,
});

export function statementRoutes(api: Api): void {
  api.get(
    "/statements",
    {
      id: "listStatements",
      tag: "Usage",
      summary: "List statements",
      description:
        "One per month (UTC) and account with usage, oldest first. A month is closed between an " +
        "hour and an hour and a quarter after its end; the statement of an open month is computed up to now.",
      scope: ["read", "operator"],
      query,
      answer: field.many(Listed),
      example: { answer: { data: [{ account_id: sampleInstance.accountId, ...exampleSum }] } },
      csv: { columns: Object.keys(Listed.properties), rows: (answer) => answer.data },
    },
    ({ db, principal, query: { account_id }, page }) => {
      const accountId = accountFor(principal, account_id);
      return inTransaction(db, async (tx) => {
        const found = await page(byStatement, (window) => listStatements(tx, { ...window, accountId }));
        return { data: found.map((one) => ({ account_id: one.accountId, ...sumView(one) })) };
      });
    },
  );

  api.get(
    "/statements/:month",
    {
      id: "getStatement",
      tag: "Usage",
      summary: "Read a statement",
      description:
        "The month's lines, one per instance or reservation with usage, and their total, which includes the lines " +
        "on other pages. For operators without `account_id`: all accounts. 404 if there is no usage.",
      scope: ["read", "operator"],
      params: MonthParam,
      query,
      answer: field.one(Statement),
      example: {
        answer: { data: { account_id: sampleInstance.accountId, ...exampleSum, lines: [exampleLine] } },
      },
      csv: { columns: Object.keys(Line.properties), rows: (answer) => answer.data.lines },
      errors: ["unknown-object"],
    },
    ({ db, principal, params, query: { account_id }, page }) => {
      const accountId = accountFor(principal, account_id);
      const month = parseMonth("month", params.month);
      // One transaction, so that `now` is the same for all lines and they add up to the sum.
      return inTransaction(db, async (tx) => {
        const sum = await statementSum(tx, month, accountId);
        const lines = await page(byLine, (window) => statementLines(tx, month, { ...window, accountId }));
        const view = sumView({ month: month.name, ...sum });
        return {
          data: { account_id: accountId ?? null, ...view, lines: lines.map((line) => lineView(month.name, line)) },
        };
      });
    },
  );
}

function sumView(sum: Omit<StatementSum, "key" | "accountId">) {
  return {
    month: sum.month,
    closed_at: sum.closedAt?.toISOString() ?? null,
    instances: sum.instances,
    seconds: sum.seconds,
    ...costFields(sum.costMicroCents),
    ...undeliveredFields(sum),
  };
}

function lineView(month: string, line: StatementLine) {
  return {
    account_id: line.accountId,
    month,
    ...subjectFields(line.subject),
    instance_type: line.instanceType,
    region: line.region,
    seconds: line.seconds,
    price_cents_per_hour: line.priceCentsPerHour,
    discount_percent: percent(line.discountBasisPoints),
    coupon: line.couponCode,
    ...costFields(line.costMicroCents),
    ...undeliveredFields(line),
    reservation_id: reservationOf(line.subject),
    quantity: line.quantity,
    no_cost_reason: line.noCostReason,
  };
}
