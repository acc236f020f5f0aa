// Control interface: an account pays into its balance through the payment provider.

import { Type } from "typebox";
import { RentalError } from "../../../rental/errors.ts";
import { listPayments, readPayment } from "../../../rental/payments/payment-store.ts";
import { mostEntryCents } from "../../../rules/ledger.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import * as field from "../fields.ts";
import { Payment, paymentView, samplePayment } from "./payment-view.ts";

const tag = "Payments";

export function noPayments(): RentalError {
  return new RentalError("conflict", {
    message: "This service takes no payments online.",
    suggestion: "Pay as your provider asks you to, such as by bank transfer.",
  });
}

export function topUpRoutes(api: Api): void {
  const { payments } = api.context;

  api.post(
    "/top-ups",
    {
      id: "createTopUp",
      tag,
      summary: "Top up your balance",
      right: "money",
      description:
        "Pay at `checkout_url`. Without one yet, read the top-up again. The balance has the amount when the status is `paid`.",
      body: Type.Object({ amount_cents: field.whole(1, mostEntryCents, "The service has limits of its own.") }),
      answer: field.one(Payment),
      example: { request: { amount_cents: 5000 }, answer: { data: samplePayment } },
      errors: ["quota-exceeded", "conflict"],
      before: ({ principal, body, orderKey }) => {
        if (payments === undefined) throw noPayments();
        return payments.order(principal, body.amount_cents, orderKey);
      },
    },
    async ({ tx, principal }, id) => ({ data: paymentView(await readPayment(tx, id, principal.accountId)) }),
  );

  api.get(
    "/top-ups",
    {
      id: "listTopUps",
      tag,
      summary: "List your top-ups",
      description: "Payments through the payment provider, newest first. All others are in your ledger.",
      query: Type.Object(pageQuery),
      answer: field.many(Payment),
      example: { answer: { data: [samplePayment] } },
    },
    async ({ db, principal: { accountId }, page }) => ({
      data: (await page(byId, (window) => listPayments(db, { accountId }, window))).map(paymentView),
    }),
  );

  api.get(
    "/top-ups/:id",
    {
      id: "getTopUp",
      tag,
      summary: "Read a top-up",
      description: "Its status, and where it is paid.",
      params: field.IdParam,
      answer: field.one(Payment),
      example: { answer: { data: samplePayment } },
      errors: ["unknown-object"],
    },
    async ({ db, principal, params }) => ({ data: paymentView(await readPayment(db, params.id, principal.accountId)) }),
  );
}
