// What a session of Stripe's Checkout, with the payment intent behind it, says of a payment.

import type Stripe from "stripe";
import type { PaymentReport } from "../../rental/payments/apply.ts";
import type { TakenBack } from "../../rental/payments/take-back.ts";
import { parseUuid } from "../../rental/uuid.ts";

/** `id`: of the payment that it has to be of. Throws "BUG: …" for another's. */
export function reportOf(
  session: Stripe.Checkout.Session,
  id: string,
  takenBack: readonly TakenBack[] = [],
): PaymentReport {
  if (session.client_reference_id !== id) throw new Error(`BUG: the session ${session.id} is of another payment`);
  const intent = session.payment_intent;
  const known = typeof intent === "string" ? null : intent;
  const money = known?.status === "succeeded" ? known.amount_received : session.amount_total;
  return {
    ...stateOf(session, known),
    amountCents: money ?? 0,
    currency: known?.currency ?? session.currency ?? "",
    checkoutId: session.id,
    checkoutUrl: session.url,
    providerPaymentId: typeof intent === "string" ? intent : (intent?.id ?? null),
    takenBack,
  };
}

export function refundOf({ id, amount, status, metadata, failure_reason: why }: Stripe.Refund): TakenBack {
  const hasFailed = status === "failed" || status === "canceled";
  const ours = parseUuid(metadata?.lessor_refund ?? "");
  const now = hasFailed ? "failed" : status === "succeeded" ? status : "pending";
  return {
    ...{ id, kind: "refund", amountCents: amount, isGone: !hasFailed },
    ...(ours !== undefined && { order: { id: ours, status: now, failure: hasFailed ? (why ?? status) : null } }),
  };
}

/**
 * What was withdrawn and reinstated says whether its money is gone, not its status: inquiries and disputes of what was refunded
 * take none, one that was prevented can, and an appeal after it was lost brings none back.
 */
export function disputeOf({ id, amount, balance_transactions: moved }: Stripe.Dispute): TakenBack {
  const isGone = moved.reduce((sum, one) => sum + one.amount, 0) < 0;
  return { id, kind: "chargeback", amountCents: amount, isGone };
}

function stateOf(
  { status, payment_status: paid }: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
): Pick<PaymentReport, "status" | "failure"> {
  if (intent?.status === "succeeded" || (status === "complete" && paid === "paid")) return plain("paid");
  if (status === "open") return plain("pending");
  if (status === "expired") return plain("expired");
  if (intent?.status === "canceled") return plain("canceled");
  // A page takes one attempt of a method that takes days: what failed then is over.
  if (intent?.status === "requires_payment_method") {
    const error = intent.last_payment_error;
    return { status: "failed", failure: error?.decline_code ?? error?.code ?? "declined" };
  }
  return plain("processing");
}

const plain = (status: PaymentReport["status"]) => ({ status, failure: null });
