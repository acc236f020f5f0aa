// Control interface: the saved payment methods of an account.

import { Type } from "typebox";
import {
  listMethods,
  readMethod,
  removeMethod,
  type PaymentMethod as StoredMethod,
} from "../../../rental/payment-methods/method-store.ts";
import { isShown, methodStatusTable, shownMethodStatuses } from "../../../rules/payment-methods.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import * as field from "../fields.ts";
import { noPayments } from "./top-ups.ts";

const tag = "Payments";

const PaymentMethod = Type.Object(
  {
    id: field.uuid(),
    status: Type.Enum(shownMethodStatuses, {
      title: "PaymentMethodStatus",
      description: shownMethodStatuses.map((one) => `\`${one}\`: ${methodStatusTable[one].meaning}`).join(" "),
    }),
    is_default: Type.Boolean({ description: "The one that was saved last." }),
    brand: field.orNull(Type.String({ examples: ["visa"] }), "Of a card, or another kind of method."),
    last4: field.orNull(Type.String({ examples: ["4242"] })),
    exp_month: field.orNull(Type.Integer()),
    exp_year: field.orNull(Type.Integer()),
    checkout_url: field.orNull(Type.String(), "Where it is entered. Null: not known yet, or it cannot be any more."),
    created_at: field.timestamp(),
  },
  { title: "PaymentMethod" },
);

function methodView(method: StoredMethod) {
  const { id, status, isDefault, brand, last4, expMonth, expYear, checkoutUrl, createdAt } = method;
  if (!isShown(status)) throw new Error("BUG: a payment method that was removed is shown");
  return {
    ...{ id, status, is_default: isDefault, brand, last4, exp_month: expMonth, exp_year: expYear },
    ...{ checkout_url: checkoutUrl, created_at: createdAt.toISOString() },
  };
}

const sample = {
  ...{ id: "0198c5d3-5c52-7c4e-9d0c-0a3c5f1f2b71", status: "saved" as const, is_default: true, brand: "visa" },
  ...{ last4: "4242", exp_month: 8, exp_year: 2030, checkout_url: null, created_at: "2026-03-01T12:00:00.000Z" },
};

export function paymentMethodRoutes(api: Api): void {
  const { payments } = api.context;

  api.post(
    "/payment-methods",
    {
      id: "createPaymentMethod",
      tag,
      summary: "Save a payment method",
      right: "money",
      description: "Enter it at `checkout_url`. Without one yet, read the method again.",
      answer: field.one(PaymentMethod),
      example: {
        answer: {
          data: {
            ...{ ...sample, status: "pending" as const, is_default: false, brand: null, last4: null },
            ...{ exp_month: null, exp_year: null, checkout_url: "https://checkout.stripe.com/c/pay/cs_…" },
          },
        },
      },
      errors: ["quota-exceeded", "conflict"],
      before: ({ principal, orderKey }) => {
        if (payments === undefined) throw noPayments();
        return payments.methods.order(principal, orderKey);
      },
    },
    async ({ tx, principal: { accountId } }, id) => ({ data: methodView(await readMethod(tx, accountId, id)) }),
  );

  api.get(
    "/payment-methods",
    {
      id: "listPaymentMethods",
      tag,
      summary: "List your payment methods",
      description: "Those that are saved or can be entered, newest first.",
      query: Type.Object(pageQuery),
      answer: field.many(PaymentMethod),
      example: { answer: { data: [sample] } },
    },
    async ({ db, principal: { accountId }, page }) => ({
      data: (await page(byId, (window) => listMethods(db, accountId, window))).map(methodView),
    }),
  );

  api.get(
    "/payment-methods/:id",
    {
      id: "getPaymentMethod",
      tag,
      summary: "Read a payment method",
      description: "Its status, and where it is entered.",
      params: field.IdParam,
      answer: field.one(PaymentMethod),
      example: { answer: { data: sample } },
      errors: ["unknown-object"],
    },
    async ({ db, principal: { accountId }, params }) => ({
      data: methodView(await readMethod(db, accountId, params.id)),
    }),
  );

  api.delete(
    "/payment-methods/:id",
    {
      id: "deletePaymentMethod",
      tag,
      summary: "Remove a payment method",
      right: "money",
      description: "It is charged no more.",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, principal: { accountId }, params }) => {
      await removeMethod(tx, accountId, params.id);
      return { data: {} };
    },
  );
}
