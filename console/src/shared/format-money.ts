// Money as people read it. Amounts are whole cents, or decimal strings of cents with six fractional digits, and are counted
// in BigInt micro-cents, so nothing is rounded before it is shown. A price is exact (`priceOf`), so that no bill exceeds
// it. A cost is rounded to cents (`dollars`, `moneyOf`).

import { microCentsPerCent } from "../../../src/rules/cost.ts";

/** Millionths of a cent of an amount of cents: a whole number, or a decimal string such as "1.037500". */
export function microCents(cents: number | string): bigint {
  const text = typeof cents === "number" ? cents.toFixed(6) : cents;
  const match = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(text);
  if (match === null) throw new Error(`BUG: ${text} is not an amount of cents.`);
  const [, sign, whole = "0", fraction = ""] = match;
  const micro = BigInt(whole) * microCentsPerCent + BigInt(fraction.padEnd(6, "0"));
  return sign === "-" ? -micro : micro;
}

/**
 * An amount in dollars, such as $1,234.56. Rounded half up to `digits` (2 to 8) after the point; what is more than nothing
 * and would be shown as nothing is "< $0.01".
 */
export function dollars(micro: bigint, digits = 2): string {
  const negative = micro < 0n;
  const amount = negative ? -micro : micro;
  // A dollar is 10^8 micro-cents.
  const unit = 10n ** BigInt(8 - digits);
  const units = (amount + unit / 2n) / unit;
  if (units === 0n && amount > 0n) return `< $${(10 ** -digits).toFixed(digits)}`;
  const text = units.toString().padStart(digits + 1, "0");
  const whole = text.slice(0, -digits).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${negative ? "−" : ""}$${whole}.${text.slice(-digits)}`;
}

/** An amount by which something changes: +$50.00, −$1.20. */
export const signedDollars = (micro: bigint): string => `${micro > 0n ? "+" : ""}${dollars(micro)}`;

/** Cents as dollars: see microCents and dollars. */
export function moneyOf(cents: number | string, digits = 2): string {
  return dollars(microCents(cents), digits);
}

/** A price, exactly: as many digits as it has, at least two. $0.675 is neither $0.67 nor $0.68. */
export function exactPrice(micro: bigint): string {
  return dollars(micro, 8).replace(/0{1,6}$/, "");
}

/** Cents as a price: see microCents and exactPrice. */
export const priceOf = (cents: number | string): string => exactPrice(microCents(cents));
