// What accounts paid through the payment provider: paid, on the way, declined and disputed.

import type { Shape } from "../../../../src/client/client.ts";
import { ago, day, hour, idOf, minute } from "./moments.ts";

type Payment = Shape<"Payment">;
type Made = Pick<Payment, "amount_cents" | "status" | "created_at"> & Partial<Payment> & { readonly account: number };

/** Newest first. */
const made: readonly Made[] = [
  { account: 3, amount_cents: 250_000, status: "pending", created_at: ago(12 * minute) },
  {
    account: 4,
    amount_cents: 500_000,
    status: "processing",
    created_at: ago(5 * hour),
    provider_payment_id: stripe(5),
  },
  {
    ...{ account: 2, amount_cents: 50_000, status: "failed", created_at: ago(2 * day) },
    ...{ failure: "insufficient_funds", provider_payment_id: stripe(4) },
  },
  { account: 2, amount_cents: 150_000, status: "paid", created_at: ago(3 * day), provider_payment_id: stripe(3) },
  { account: 4, amount_cents: 20_000, status: "expired", created_at: ago(9 * day) },
  {
    ...{ account: 5, amount_cents: 120_000, status: "paid", created_at: ago(31 * day) },
    ...{ provider_payment_id: stripe(2), disputed: true },
  },
  { account: 3, amount_cents: 1_000_000, status: "paid", created_at: ago(38 * day), provider_payment_id: stripe(1) },
];

export const payments: readonly Payment[] = made.map(({ account, ...given }, index) => ({
  ...{ id: idOf("payment", made.length - index), account_id: idOf("account", account), currency: "usd" },
  ...{ failure: null, checkout_url: null, provider: "stripe", provider_payment_id: null, disputed: false },
  payment_method_id: null,
  paid_at: given.status === "paid" ? given.created_at : null,
  ...given,
}));

/** Of the oldest payment, newest first. */
export const refunds: readonly Shape<"Refund">[] = [
  refund(2, 150_000, { status: "created", reason: "Unused credit of February" }),
  refund(1, 50_000, { status: "failed", failure: "expired_or_canceled_card", reason: "Paid twice" }),
  { ...refund(0, 25_000, { status: "succeeded" }), id: null },
];

function refund(number: number, cents: number, more: Partial<Shape<"Refund">>): Shape<"Refund"> {
  return {
    ...{ id: idOf("payment", 90 + number), payment_id: idOf("payment", 1), account_id: idOf("account", 3) },
    ...{ amount_cents: cents, status: "created", failure: null, reason: null },
    ...{ provider_refund_id: null, created_at: ago((30 - 10 * number) * day) },
    ...more,
  };
}

/** An id as the provider's. */
function stripe(number: number): string {
  return `pi_3QxT8uLkdIwHu7ix0${number}Vq5Zn`;
}
