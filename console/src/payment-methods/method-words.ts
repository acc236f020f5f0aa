// Saved payment methods in words. Pure.

import type { Shape } from "../../../src/client/client.ts";
import type { ShownMethodStatus } from "../../../src/rules/payment-methods.ts";

interface StatusWords {
  /** On the badge. */
  readonly label: string;
  readonly color: "amber" | "green" | "red";
  /** A heading about the method with this name. */
  readonly about: (name: string) => string;
  /** What the customer can do or expect. */
  readonly text: string;
}

export const methodWords: Readonly<Record<ShownMethodStatus, StatusWords>> = {
  created: {
    ...{ label: "Created", color: "amber", about: () => "Preparing the page of the payment provider" },
    text: "The payment provider has not responded yet. This page shows how to go on as soon as it does.",
  },
  pending: {
    ...{ label: "Not entered yet", color: "amber", about: () => "The payment method is not saved yet" },
    text: "If you have entered it, it can take a few minutes. Otherwise, continue to the page of the payment provider.",
  },
  saved: {
    ...{ label: "Saved", color: "green", about: (name) => `${name} was saved` },
    text: "It is the default until you save another one.",
  },
  failed: {
    ...{ label: "Failed", color: "red", about: () => "The payment method was not saved" },
    text: "It was not entered in time, or the payment provider rejected it. You can add it again.",
  },
};

type Method = Pick<Shape<"PaymentMethod">, "brand" | "last4">;

/** "Visa ending in 4242"; "New payment method" before it is entered. */
export function methodName({ brand, last4 }: Method): string {
  if (brand === null) return "New payment method";
  const words = `${brand.charAt(0).toUpperCase()}${brand.slice(1).replaceAll("_", " ")}`;
  return last4 === null ? words : `${words} ending in ${last4}`;
}

/** "08/2030"; "–" for what does not expire. */
export const expiryText = (month: number | null, year: number | null): string =>
  month === null || year === null ? "–" : `${String(month).padStart(2, "0")}/${year}`;
