// Parses and formats amounts and durations. Pure.

import { relative } from "../../rules/relative-time.ts";
import { usageError } from "../command-error.ts";

/** `75` cents are "$0.75". */
export function money(cents: number): string {
  if (cents < 0) return `-${money(-cents)}`;
  return `$${(cents / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** An exact price: as many digits as it has, at least two. $0.675 is neither $0.67 nor $0.68. */
export function perHour(cents: number): string {
  // Prices have at most millionths of a cent.
  return `$${(cents / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 8 })}/h`;
}

/** A count, with separators: "20,000" of 20000. */
export function count(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

/** A cost from the service, in cents with six fractional digits; small ones to a hundredth of a cent. */
export function cost(cents: string): string {
  const value = Number(cents);
  if (value < 0) return `-${cost(cents.slice(1))}`;
  if (value === 0 || value >= 10) return money(value);
  return `$${(value / 100).toFixed(4)}`;
}

/** `3725` seconds are "1 h 2 min": the two largest units. */
export function duration(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [Math.floor(seconds) % 60, "s"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
}

/** How long ago, such as "2 hours ago"; in the future, "in 3 days". `--json` has the exact timestamp. */
export function ago(moment: string | null, now: number = Date.now()): string | null {
  return moment === null ? null : relative(Date.parse(moment), now);
}

/** The age: "2 hours", "just now". */
export function age(since: string, now: number = Date.now()): string {
  return relative(Date.parse(since), now).replace(/ ago$/, "");
}

/** A timestamp to the second, in UTC: "2026-03-01 12:00:00". */
export function moment(iso: string | null): string | null {
  return iso === null ? null : iso.slice(0, 19).replace("T", " ");
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 };

/** "90m", "8h", "1h30m", "2d" in seconds. Throws CommandError. */
export function secondsIn(text: string): number {
  const parts = [...text.matchAll(/(\d+)\s*(min|[smhdw])\s*/gy)];
  const read = parts.map(([part]) => part).join("");
  const seconds = parts.reduce((sum, [, amount = "", unit = ""]) => sum + Number(amount) * (units[unit] ?? 0), 0);
  if (text === "" || read !== text || seconds === 0 || !Number.isSafeInteger(seconds)) {
    throw usageError(`"${text}" is not a time span.`, "Use 90m, 8h, 1h30m or 2d, for example.");
  }
  return seconds;
}

/** "2.50" (or "$2.50") in cents. Throws CommandError. */
export function centsIn(text: string): number {
  const [, whole, fraction = ""] = /^\$?(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  if (whole === undefined) throw usageError(`"${text}" is not an amount of money.`, "Use 2.50 or 20, for example.");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

/** A whole number, `least` or more. Throws CommandError. */
export function wholeNumber(what: string, least = 0): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && Number.isSafeInteger(number)) return number;
    throw usageError(`${what} must be a whole number of at least ${least}, not "${text}".`);
  };
}
