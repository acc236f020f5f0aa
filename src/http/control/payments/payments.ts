// Control interface: payments of all accounts through the payment provider, for operators.

import { type Static, type TObject, Type } from "typebox";
import { readAccount } from "../../../rental/accounts/account-store.ts";
import { listPayments, readPayment } from "../../../rental/payments/payment-store.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api, Reading } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { uuidAsked } from "../accounts/whose.ts";
import * as field from "../fields.ts";
import { Payment, PaymentStatus, paymentView, samplePayment } from "./payment-view.ts";

const ofOperators = { tag: "Payments", scope: "operator" } as const;

const filters = {
  ...pageQuery,
  status: Type.Optional(PaymentStatus),
  disputed: Type.Optional(Type.Boolean({ description: "Whether it was disputed, also if that is over." })),
};
const many = { answer: field.many(Payment), example: { answer: { data: [samplePayment] } } };

/** `accountId`: undefined for all. */
async function list(
  { db, query, page }: Reading<unknown, Static<TObject<typeof filters>>>,
  accountId: string | undefined,
) {
  const filter = { isDisputed: query.disputed, status: query.status, accountId };
  return { data: (await page(byId, (window) => listPayments(db, filter, window))).map(paymentView) };
}

export function paymentRoutes(api: Api): void {
  api.get(
    "/payments",
    {
      ...ofOperators,
      id: "listPayments",
      summary: "List payments",
      description: "Of all accounts through the payment provider, newest first.",
      query: Type.Object({
        ...filters,
        account_id: Type.Optional(Type.String({ ...limit.uuid, description: "Only payments of this account." })),
      }),
      ...many,
    },
    (call) => list(call, uuidAsked("account_id", "an account", call.query.account_id)),
  );

  api.get(
    "/accounts/:id/payments",
    {
      ...{ ...ofOperators, tag: "Accounts", ...many },
      id: "listAccountPayments",
      summary: "List an account's payments",
      description: "Through the payment provider, newest first.",
      params: field.IdParam,
      query: Type.Object(filters),
      errors: ["unknown-object"],
    },
    async (call) => list(call, (await readAccount(call.db, call.params.id)).id),
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
