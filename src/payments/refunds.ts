// Orders at the provider the refunds that operators ordered here. Used by driver.ts, which has the payment to itself and
// knows what was refunded of it so far.
//
// Invariant: a refund that the provider has is not ordered again. An order that got no response has its idempotency key at
// the next attempt too, because it can still be in progress; it gets another only after the provider responded with an error.

import type { Database } from "../database/connect.ts";
import type { PaymentReport } from "../rental/payments/apply.ts";
import type { ClaimedPayment } from "../rental/payments/payment-store.ts";
import { type RefundOutcome, refundsToOrder } from "../rental/payments/refund-store.ts";
import type { TakenBack } from "../rental/payments/take-back.ts";
import { creditedStatus, ownFailures } from "../rules/payments.ts";
import type { PaymentGate } from "./points.ts";
import { type PaymentProvider, ProviderError } from "./provider.ts";

export interface Refunded {
  /** What the provider has now, besides the report. */
  readonly takenBack: readonly TakenBack[];
  readonly outcomes: readonly RefundOutcome[];
  /** Undefined: each has a response. */
  readonly problem: string | undefined;
}

export const noRefunds: Promise<Refunded> = Promise.resolve({ takenBack: [], outcomes: [], problem: undefined });

/** How long an order without a response is repeated, in seconds: the provider knows the key for longer. */
const orderingSeconds = 12 * 3600;
/** The claim of the payment lasts for so many calls. */
const atOnce = 2;

export async function orderRefunds(
  { db, provider, gate }: { readonly db: Database; readonly provider: PaymentProvider; readonly gate: PaymentGate },
  { id }: ClaimedPayment,
  { status, providerPaymentId, takenBack }: PaymentReport,
): Promise<Refunded> {
  const known = new Set(takenBack.map(({ order }) => order?.id));
  const open = (await refundsToOrder(db, id, orderingSeconds)).filter((one) => !known.has(one.id));
  if (open.length === 0) return noRefunds;
  if (status !== creditedStatus || providerPaymentId === null) {
    return { ...(await noRefunds), problem: "the provider does not have a payment that is to be refunded" };
  }
  const made: TakenBack[] = [];
  const outcomes: RefundOutcome[] = [];
  let problem: string | undefined;
  for (const order of open.slice(0, atOnce)) {
    if (order.isLate) {
      outcomes.push({ id: order.id, failure: ownFailures.unreachable });
      continue;
    }
    try {
      made.push(await gate("refundCreated", () => provider.refund({ ...order, providerPaymentId })));
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.kind === "refused") outcomes.push({ id: order.id, failure: error.code ?? ownFailures.rejected });
      else {
        problem ??= error.message;
        if (error.isFinal) outcomes.push({ id: order.id, usedAttempt: order.attempt });
      }
    }
  }
  return { takenBack: made, outcomes, problem };
}
