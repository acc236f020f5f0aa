// Which payment or payment method an event of Stripe is about. Nothing else of it counts: what is true now is asked for.

import type Stripe from "stripe";
import type { PaymentHint } from "../../rental/payments/checks.ts";

/** The events that say that a payment or a payment method changed: at most 20 can be asked for. */
export const watchedEvents = [
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
  "checkout.session.expired",
  "payment_intent.succeeded",
  "payment_intent.payment_failed",
  "payment_intent.canceled",
  "refund.created",
  "refund.updated",
  "refund.failed",
  "charge.dispute.created",
  "charge.dispute.updated",
  "charge.dispute.closed",
  "charge.dispute.funds_withdrawn",
  "charge.dispute.funds_reinstated",
  "payment_method.detached",
  "payment_method.updated",
  "payment_method.automatically_updated",
] as const;

/** Undefined: of no payment of ours. Throws nothing, whatever the event has. */
export function hintOfEvent({ type, data }: Stripe.Event): PaymentHint | undefined {
  // Of any type, also one that the library does not know.
  const object: Readonly<Record<string, unknown>> = { ...data.object };
  const id = textOf(object.id);
  const metadata = Object(object.metadata);
  const ours = textOf(metadata.lessor_payment) ?? textOf(metadata.lessor_method);
  if (type.startsWith("checkout.session.")) return { id: ours, checkoutId: id };
  if (type.startsWith("payment_method.")) return { providerMethodId: id };
  if (type.startsWith("payment_intent.")) return { id: ours, providerPaymentId: id };
  const intent = textOf(object.payment_intent) ?? textOf(Object(object.payment_intent).id);
  return intent === undefined ? undefined : { providerPaymentId: intent };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
