// Control interface: automatic top-ups of an account.

import { Type } from "typebox";
import { readAutoTopUp, removeAutoTopUp, type AutoTopUp as StoredTopUp } from "../../../rental/auto-top-ups/store.ts";
import { mostEntryCents } from "../../../rules/ledger.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { uuidAsked } from "../accounts/whose.ts";
import * as field from "../fields.ts";
import { noPayments } from "./top-ups.ts";

const tag = "Payments";

const AutoTopUp = Type.Object(
  {
    threshold_cents: Type.Integer(),
    amount_cents: Type.Integer(),
    monthly_cap_cents: Type.Integer(),
    payment_method_id: field.orNull(field.uuid(), "Null: the default."),
    charged_this_month_cents: Type.Integer({ description: "What is in progress included." }),
    in_progress_cents: Type.Integer({ description: "Being charged now." }),
    turned_off_at: field.orNull(field.timestamp(), "Null: it is on."),
    turned_off_reason: field.orNull(Type.String({ examples: ["card_declined"] })),
  },
  { title: "AutoTopUp" },
);

function viewOf(one: StoredTopUp) {
  return {
    ...{ threshold_cents: one.thresholdCents, amount_cents: one.amountCents, monthly_cap_cents: one.monthlyCapCents },
    ...{ payment_method_id: one.paymentMethodId, charged_this_month_cents: one.chargedThisMonthCents },
    in_progress_cents: one.inProgressCents,
    ...{ turned_off_at: one.turnedOffAt?.toISOString() ?? null, turned_off_reason: one.turnedOffReason },
  };
}

const order = { threshold_cents: 2000, amount_cents: 5000, monthly_cap_cents: 50_000 };
const sample = {
  ...{ ...order, payment_method_id: null, charged_this_month_cents: 10_000 },
  in_progress_cents: 0,
  ...{ turned_off_at: null, turned_off_reason: null },
};

export function autoTopUpRoutes(api: Api): void {
  const { payments } = api.context;

  api.get(
    "/auto-top-up",
    {
      id: "getAutoTopUp",
      tag,
      summary: "Read auto top-up",
      description: "Null: there is none.",
      answer: field.one(field.orNull(AutoTopUp)),
      example: { answer: { data: sample } },
    },
    async ({ db, principal: { accountId } }) => {
      const found = await readAutoTopUp(db, accountId);
      return { data: found ? viewOf(found) : null };
    },
  );

  api.put(
    "/auto-top-up",
    {
      id: "putAutoTopUp",
      tag,
      summary: "Turn on auto top-up",
      right: "money",
      description:
        "When the balance is below `threshold_cents`, `amount_cents` are charged, of all in a month (UTC) at most `monthly_cap_cents`.",
      body: Type.Object({
        threshold_cents: field.whole(0, mostEntryCents),
        amount_cents: field.whole(1, mostEntryCents, "The service has limits of its own."),
        monthly_cap_cents: field.whole(1, mostEntryCents),
        payment_method_id: Type.Optional(Type.String({ ...limit.uuid, description: "By default, the default." })),
      }),
      answer: field.one(AutoTopUp),
      example: { request: order, answer: { data: sample } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal: { accountId }, body }) => {
      const method = uuidAsked("payment_method_id", "a payment method", body.payment_method_id);
      if (payments === undefined) throw noPayments();
      await payments.putAutoTopUp(tx, accountId, {
        ...{ thresholdCents: body.threshold_cents, amountCents: body.amount_cents },
        ...{ monthlyCapCents: body.monthly_cap_cents, paymentMethodId: method ?? null },
      });
      const found = await readAutoTopUp(tx, accountId);
      if (found === undefined) throw new Error("BUG: an auto top-up is missing after it was turned on");
      return { data: viewOf(found) };
    },
  );

  api.delete(
    "/auto-top-up",
    {
      id: "deleteAutoTopUp",
      tag,
      summary: "Remove auto top-up",
      right: "money",
      description: "Nothing is charged any more.",
      answer: field.nothing,
      example: { answer: { data: {} } },
    },
    async ({ tx, principal: { accountId } }) => {
      await removeAutoTopUp(tx, accountId);
      return { data: {} };
    },
  );
}
