// Automatic top-ups: when one is turned off, and how long it waits. Used by rental/auto-top-ups and the documents.
//
// Terms. An automatic payment is one that the service orders with a saved payment method, because the balance fell below the
// account's threshold. A decline is one that failed by the word of the provider or the bank.

import { ownFailures } from "./payments.ts";

export const autoTopUpRules = {
  /** So many declines in a row turn it off. */
  declines: 2,
  /** How long it waits after a payment that did not succeed, from its order on, in seconds. */
  pauseSeconds: 900,
} as const;

/** Why it is turned off if there is nothing to charge. Other reasons are these, and failures of payments. */
export const noMethodReason = "no_payment_method";

/** Why it is turned off when money of a payment was taken back: the next charge would take it again. */
export const takenBackReasons = { refund: "payment_refunded", chargeback: "payment_disputed" } as const;

/** Whether a payment that failed so was declined: not if it was never tried. */
export function isDecline(failure: string | null): boolean {
  return failure !== ownFailures.unreachable && failure !== ownFailures.withdrawn;
}
