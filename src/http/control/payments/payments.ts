// Control interface: payments of all accounts through the payment provider, for operators.

import { Type } from "typebox";
import { listPayments, readPayment } from "../../../rental/payments/payment-store.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { uuidAsked } from "../accounts/whose.ts";
import * as field from "../fields.ts";
import { Payment, PaymentStatus, paymentView, samplePayment } from "./payment-view.ts";

const ofOperators = { tag: "Payments", scope: "operator" } as const;

export function paymentRoutes(api: Api): void {
  api.get(
    "/payments",
    {
      ...ofOperators,
      id: "listPayments",
      summary: "List payments",
      description: "Of all accounts through the payment provider, newest first.",
      query: Type.Object({
        ...pageQuery,
        status: Type.Optional(PaymentStatus),
        disputed: Type.Optional(Type.Boolean({ description: "Whether it was disputed, also if that is over." })),
        account_id: Type.Optional(Type.String({ ...limit.uuid, description: "Only payments of this account." })),
      }),
      answer: field.many(Payment),
      example: { answer: { data: [samplePayment] } },
    },
    async ({ db, query, page }) => {
      const filter = {
        isDisputed: query.disputed,
        status: query.status,
        accountId: uuidAsked("account_id", "an account", query.account_id),
      };
      return { data: (await page(byId, (window) => listPayments(db, filter, window))).map(paymentView) };
    },
  );

  api.get(
    "/payments/:id",
    {
      ...ofOperators,
      id: "getPayment",
      summary: "Read a payment",
      description: "Of any account.",
      params: field.IdParam,
      answer: field.one(Payment),
      example: { answer: { data: samplePayment } },
      errors: ["unknown-object"],
    },
    async ({ db, params }) => ({ data: paymentView(await readPayment(db, params.id)) }),
  );
}
