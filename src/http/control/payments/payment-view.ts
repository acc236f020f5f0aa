// Payments through a provider in responses of the control interface. Used by top-ups.ts and payments.ts.

import { Type } from "typebox";
import type { ShownPayment } from "../../../rental/payments/payment-store.ts";
import { paymentProviders, paymentStatuses, paymentStatusTable } from "../../../rules/payments.ts";
import { sampleInstance } from "../../api/samples.ts";
import * as field from "../fields.ts";

export const PaymentStatus = Type.Enum(paymentStatuses, {
  title: "PaymentStatus",
  description: paymentStatuses.map((status) => `\`${status}\`: ${paymentStatusTable[status].meaning}`).join(" "),
});

export const Payment = Type.Object(
  {
    id: field.uuid(),
    account_id: field.uuid(),
    amount_cents: Type.Integer(),
    currency: Type.String({ examples: ["usd"] }),
    status: PaymentStatus,
    failure: field.orNull(Type.String({ examples: ["card_declined"] }), "Why it failed."),
    checkout_url: field.orNull(Type.String(), "Where it is paid. Null: not known yet, or it cannot be paid any more."),
    payment_method_id: field.orNull(field.uuid(), "What auto top-up charges. Null: the customer pays."),
    provider: Type.Enum([...paymentProviders]),
    provider_payment_id: field.orNull(Type.String(), "The provider's id, which the ledger has as reference."),
    disputed: Type.Boolean({ description: "Also if that is over." }),
    created_at: field.timestamp(),
    paid_at: field.orNull(field.timestamp()),
  },
  { title: "Payment" },
);

export function paymentView(payment: ShownPayment) {
  return {
    id: payment.id,
    account_id: payment.accountId,
    amount_cents: payment.amountCents,
    currency: payment.currency,
    status: payment.status,
    failure: payment.failure,
    checkout_url: payment.checkoutUrl,
    payment_method_id: payment.paymentMethodId,
    provider: "stripe" as const,
    provider_payment_id: payment.providerPaymentId,
    disputed: payment.isDisputed,
    created_at: payment.createdAt.toISOString(),
    paid_at: payment.paidAt?.toISOString() ?? null,
  };
}

/** For the document. */
export const samplePayment = paymentView({
  id: "0198c5d3-5c52-7c4e-9d0c-0a3c5f1f2b70",
  accountId: sampleInstance.accountId,
  provider: "stripe",
  amountCents: 5000,
  currency: "usd",
  status: "pending",
  failure: null,
  checkoutId: null,
  checkoutUrl: "https://checkout.stripe.com/c/pay/cs_…",
  paymentMethodId: null,
  providerPaymentId: null,
  isDisputed: false,
  createdAt: new Date("2026-03-01T12:00:00.000Z"),
  paidAt: null,
});
