// What customers read of their payments through the payment provider; labels and failures are in
// shared/payment-words.ts. Pure.

import type { PaymentStatus } from "../../../src/rules/payments.ts";
import { amountIn } from "../invoices/amount.ts";
import { moneyOf } from "../shared/format-money.ts";

interface StatusWords {
  /** A heading about one payment. */
  readonly about: (amount: string) => string;
  /** What the customer can do or expect. */
  readonly text: string;
}

const noMoney = "Your balance is unchanged. You can top up again.";

export const statusWords: Readonly<Record<PaymentStatus, StatusWords>> = {
  created: {
    about: (amount) => `Preparing the payment of ${amount}`,
    text: "The payment provider has not responded yet. This page shows the way to pay as soon as it does.",
  },
  pending: {
    about: (amount) => `The payment of ${amount} has not arrived yet`,
    text: "If you have paid, it can take a few minutes. Otherwise, continue to the payment page.",
  },
  processing: {
    about: (amount) => `The payment of ${amount} is being processed`,
    text: "You don't need to do anything. Some methods, such as bank debits, take several days.",
  },
  paid: {
    about: (amount) => `${amount} was added to your balance`,
    text: "The payment has arrived.",
  },
  failed: {
    about: (amount) => `The payment of ${amount} failed`,
    text: noMoney,
  },
  expired: {
    about: (amount) => `The payment of ${amount} was not made in time`,
    text: noMoney,
  },
  canceled: {
    about: (amount) => `The payment of ${amount} was canceled`,
    text: noMoney,
  },
};

/** "$50.00"; in other currencies "50.00 EUR". `currency`: ISO 4217 in lower case. */
export const paymentAmount = (cents: number, currency: string): string =>
  currency === "usd" ? moneyOf(cents) : amountIn(cents, currency.toUpperCase());
