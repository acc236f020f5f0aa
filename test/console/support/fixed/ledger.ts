// The balance and the ledger of the account that is signed in (payments, a voucher, a correction, and usage day by day), and
// the vouchers of operators.

import type { Shape } from "../../../../src/client/client.ts";
import { ownAccount } from "./accounts.ts";
import { ago, day, hour, idOf, inTime } from "./moments.ts";

type Entry = Shape<"LedgerEntry">;
type Made = Pick<Entry, "kind" | "created_at"> & Partial<Entry> & { readonly cents: number };

const usage: readonly Made[] = Array.from({ length: 17 }, (_, index) => ({
  kind: "usage",
  cents: -(5200 + 310 * index),
  created_at: ago((17 - index) * day - 9 * hour),
  month: "2026-03",
  until: ago((17 - index) * day + 14 * hour + 20 * 60),
}));

/** Oldest first. */
const made: readonly Made[] = [
  { kind: "top_up", cents: 200_000, created_at: ago(40 * day), reference: "RF18 5390 0754 7034" },
  {
    kind: "usage",
    cents: -98_240,
    created_at: ago(17 * day + hour),
    month: "2026-02",
    until: ago(17 * day + 14 * hour),
  },
  { kind: "credit", cents: 1250, created_at: ago(17 * day + hour), month: "2026-02", until: ago(17 * day + 14 * hour) },
  ...usage.slice(0, 9),
  { kind: "voucher", cents: 5000, created_at: ago(8 * day), reference: "Spring 2026" },
  ...usage.slice(9, 14),
  { kind: "top_up", cents: 150_000, created_at: ago(3 * day), reference: "RF71 0123 4567 8901" },
  { kind: "adjustment", cents: 2500, created_at: ago(3 * day - hour), reason: "Outage of the network on March 14" },
  ...usage.slice(14),
];

const sums = made.map((_, index) => made.slice(0, index + 1).reduce((sum, { cents }) => sum + cents, 0));

/** Newest first. */
export const ledger: Entry[] = made
  .map(({ cents, ...entry }, index) => ({
    ...{ id: String(4700 + index), account_id: ownAccount.id },
    ...{ month: null, until: null, reference: null, reason: null },
    ...entry,
    ...both("amount", cents),
    ...both("balance", sums[index] ?? 0),
  }))
  .reverse();

const pendingCents = 6120;

export const balance: Shape<"Balance"> = {
  account_id: ownAccount.id,
  ...both("balance", (sums.at(-1) ?? 0) - pendingCents),
  ...both("pending", pendingCents),
  payment_terms: "prepaid",
  credit_line_cents: null,
  held_since: null,
  runway: { cents_per_hour: "1920.000000", seconds: 64 * hour + 1800, empty_at: inTime(64 * hour + 1799) },
  exhausted: null,
  top_ups: { min_amount_cents: 500, max_amount_cents: 1_000_000, currency: "usd" },
  at: ago(1),
};

/** Newest first. */
export const topUps: Shape<"Payment">[] = [
  topUp(4, 25_000, { status: "pending", checkout_url: "https://checkout.example/pay/4", created_at: ago(hour) }),
  topUp(3, 150_000, {
    status: "paid",
    provider_payment_id: "pi_3Qm7",
    paid_at: ago(3 * day),
    created_at: ago(3 * day),
  }),
  topUp(2, 150_000, { status: "failed", failure: "card_declined", created_at: ago(3 * day + hour) }),
  topUp(5, 50_000, {
    ...{ status: "paid", provider_payment_id: "pi_3Qk2", payment_method_id: idOf("method", 2) },
    ...{ paid_at: ago(8 * day), created_at: ago(8 * day) },
  }),
  topUp(1, 80_000, { status: "expired", created_at: ago(30 * day) }),
];

function topUp(number: number, cents: number, more: Partial<Shape<"Payment">>): Shape<"Payment"> {
  return {
    ...{ id: idOf("payment", 10 + number), account_id: ownAccount.id, amount_cents: cents, currency: "usd" },
    ...{ status: "created", failure: null, checkout_url: null, provider: "stripe", provider_payment_id: null },
    ...{ created_at: ago(day), paid_at: null, disputed: false, payment_method_id: null },
    ...more,
  };
}

export const autoTopUp: Shape<"AutoTopUp"> = {
  ...{ threshold_cents: 20_000, amount_cents: 50_000, monthly_cap_cents: 300_000, payment_method_id: null },
  ...{ charged_this_month_cents: 50_000, in_progress_cents: 0, turned_off_at: null, turned_off_reason: null },
};

/** Newest first. */
export const paymentMethods: Shape<"PaymentMethod">[] = [
  method(3, { status: "pending", checkout_url: "https://checkout.example/enter/3", created_at: ago(hour) }),
  method(2, { brand: "visa", last4: "4242", exp_month: 8, exp_year: 2030, is_default: true, created_at: ago(9 * day) }),
  method(1, { brand: "sepa_debit", last4: "3000", created_at: ago(40 * day) }),
];

function method(number: number, more: Partial<Shape<"PaymentMethod">>): Shape<"PaymentMethod"> {
  return {
    ...{ id: idOf("method", number), status: "saved", is_default: false, brand: null, last4: null, exp_month: null },
    ...{ exp_year: null, checkout_url: null, created_at: ago(day) },
    ...more,
  };
}

export const budgetAlerts: Shape<"BudgetAlert">[] = [
  { id: idOf("budget", 1), amount_cents: 100_000, reached_at: ago(2 * day), created_at: ago(60 * day) },
  { id: idOf("budget", 2), amount_cents: 200_000, reached_at: null, created_at: ago(60 * day) },
];

export const vouchers: Shape<"Voucher">[] = [
  voucher(1, "Spring 2026", { amount_cents: 5000, max_uses: 100, uses: 37, expires_at: inTime(104 * day) }),
  voucher(2, "Workshop on training", { amount_cents: 25_000, max_uses: 12, uses: 12 }),
  voucher(3, "Launch week", { amount_cents: 10_000, max_uses: 50, uses: 21, expires_at: ago(20 * day) }),
];

function voucher(number: number, name: string, more: Partial<Shape<"Voucher">>): Shape<"Voucher"> {
  const created_at = ago((40 - number) * day);
  return {
    ...{ id: idOf("voucher", number), name, created_at },
    ...{ amount_cents: 0, max_uses: 1, uses: 0, expires_at: null },
    ...more,
  };
}

/** The two fields of an amount. */
function both<Name extends "amount" | "balance" | "pending">(name: Name, cents: number) {
  const micro = cents === 0 ? "0" : `${cents}000000`;
  // Computed keys have no types of their own.
  return { [`${name}_micro_cents`]: micro, [`${name}_cents`]: `${cents}.000000` } as Record<
    `${Name}_micro_cents` | `${Name}_cents`,
    string
  >;
}
