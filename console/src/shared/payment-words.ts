// Payments in words: statuses as labels and colors, and failures as sentences. Pure. Used by the customers' pages of top-ups
// and the balance (top-ups/), and the operators' of payments (operator/payments/).

import { noMethodReason } from "../../../src/rules/auto-top-ups.ts";
import { ownFailures, type PaymentStatus, paymentStatuses, type RefundStatus } from "../../../src/rules/payments.ts";

export const paymentLabels: Readonly<Record<PaymentStatus, { readonly label: string; readonly color: string }>> = {
  created: { label: "Created", color: "amber" },
  pending: { label: "Not paid yet", color: "amber" },
  processing: { label: "Processing", color: "blue" },
  paid: { label: "Paid", color: "green" },
  failed: { label: "Failed", color: "red" },
  expired: { label: "Expired", color: "gray" },
  canceled: { label: "Canceled", color: "gray" },
};

export const refundLabels: Readonly<Record<RefundStatus, { readonly label: string; readonly color: string }>> = {
  created: { label: "Ordered", color: "amber" },
  pending: { label: "Pending", color: "blue" },
  succeeded: { label: "Paid back", color: "green" },
  failed: { label: "Failed", color: "red" },
};

/** For a Select. */
export const statusChoices = paymentStatuses.map((value) => ({ value, label: paymentLabels[value].label }));

/** Words of the provider whose own reading is not plain. */
const failures: Readonly<Record<string, string>> = {
  [ownFailures.unreachable]: "The provider did not respond in time.",
  [ownFailures.rejected]: "The provider rejected the order.",
  [ownFailures.withdrawn]: "It was not charged: auto top-up was changed or turned off, or the account is on hold.",
  [noMethodReason]: "There was no saved payment method.",
  authentication_required: "The bank requires that the customer confirms it.",
  card_declined: "The bank declined the card.",
  declined: "The bank declined it.",
  do_not_honor: "The bank declined the card.",
  expired_or_canceled_card: "The card is expired or canceled.",
  expired_card: "The card is expired.",
  generic_decline: "The bank declined the card.",
  incorrect_cvc: "The security code of the card is wrong.",
  incorrect_number: "The number of the card is wrong.",
  insufficient_funds: "The card or account has too little money.",
  processing_error: "The provider could not process it.",
};

/** A sentence: that of a word we know, otherwise the provider's word, readable. */
export function failureWords(failure: string): string {
  const readable = failure.replaceAll(/[_\s]+/g, " ").trim();
  return failures[failure] ?? `${readable.charAt(0).toUpperCase()}${readable.slice(1)}.`;
}
