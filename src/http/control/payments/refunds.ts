// Control interface: operators pay back payments through the payment provider, and see what was paid back.

import { Type } from "typebox";
import { RentalError } from "../../../rental/errors.ts";
import { readPayment } from "../../../rental/payments/payment-store.ts";
import { listRefunds, orderRefund, type Refund as StoredRefund } from "../../../rental/payments/refund-store.ts";
import { mostEntryCents } from "../../../rules/ledger.ts";
import { refundStatuses, refundStatusTable } from "../../../rules/payments.ts";
import type { Api } from "../../api/operations.ts";
import { reasonText } from "../billing/account-ledger.ts";
import * as field from "../fields.ts";
import { samplePayment } from "./payment-view.ts";

const Refund = Type.Object(
  {
    id: field.orNull(field.uuid(), "Null: it was not ordered here."),
    payment_id: field.uuid(),
    account_id: field.uuid(),
    amount_cents: Type.Integer(),
    status: Type.Enum(refundStatuses, {
      title: "RefundStatus",
      description: refundStatuses.map((status) => `\`${status}\`: ${refundStatusTable[status]}`).join(" "),
    }),
    failure: field.orNull(Type.String(), "Why it failed."),
    reason: field.orNull(Type.String()),
    provider_refund_id: field.orNull(Type.String(), "The provider's id, which the ledger has as reference."),
    created_at: field.timestamp(),
  },
  { title: "Refund" },
);

function refundView(refund: StoredRefund) {
  return {
    id: refund.id,
    payment_id: refund.paymentId,
    account_id: refund.accountId,
    amount_cents: refund.amountCents,
    status: refund.status,
    failure: refund.failure,
    reason: refund.reason,
    provider_refund_id: refund.providerRefundId,
    created_at: refund.createdAt.toISOString(),
  };
}

const sample = refundView({
  ...{ id: "0198c5d3-5c52-7c4e-9d0c-0a3c5f1f2b71", paymentId: samplePayment.id, accountId: samplePayment.account_id },
  ...{ amountCents: 2000, status: "created", failure: null, reason: "Paid twice", providerRefundId: null },
  createdAt: new Date("2026-03-02T12:00:00.000Z"),
});

const ofPayment = { tag: "Payments", scope: "operator", params: field.IdParam } as const;

export function refundRoutes(api: Api): void {
  const { payments } = api.context;

  api.post(
    "/payments/:id/refunds",
    {
      ...ofPayment,
      ...{ right: "money", statesReason: true, namesAccount: true },
      id: "refundPayment",
      summary: "Refund a payment",
      description:
        "Pays back through the payment provider, which is asked within seconds. More than is left of the payment is rejected (409).",
      body: Type.Object({
        amount_cents: Type.Optional(field.whole(1, mostEntryCents, "Without it: all that is left.")),
        reason: reasonText("Paid twice"),
      }),
      answer: field.one(Refund),
      example: { request: { amount_cents: 2000, reason: "Paid twice" }, answer: { data: sample } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal, params, body }) => {
      if (payments === undefined) {
        throw new RentalError("conflict", {
          message: "This service takes no payments online.",
          suggestion: "Pay back by bank transfer, and record it.",
        });
      }
      const order = { paymentId: params.id, amountCents: body.amount_cents, reason: body.reason };
      return { data: refundView(await orderRefund(tx, principal, order)) };
    },
  );

  api.get(
    "/payments/:id/refunds",
    {
      ...ofPayment,
      id: "listPaymentRefunds",
      summary: "List refunds of a payment",
      description: "Newest first, also those that were not ordered here.",
      answer: field.many(Refund),
      example: { answer: { data: [sample] } },
      errors: ["unknown-object"],
    },
    async ({ db, params }) => ({ data: (await listRefunds(db, await readPayment(db, params.id))).map(refundView) }),
  );
}
