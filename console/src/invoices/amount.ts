// Amounts of invoices, which are in the currency of the invoice. Pure.

import { formatNumber } from "../shared/format-number.ts";

/** "1,190.00 EUR"; "−5.00 EUR". */
export function amountIn(cents: number, currency: string): string {
  const positive = Math.abs(cents);
  const digits = String(positive % 100).padStart(2, "0");
  return `${cents < 0 ? "−" : ""}${formatNumber(Math.floor(positive / 100))}.${digits} ${currency}`;
}
