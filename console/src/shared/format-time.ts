// Moments and spans as people read them. Pure: what is "now" is told. `relative` and `exactly` are for time.tsx alone, which
// every page shows its moments with: relative, with the exact one on hover. Days, months and spans are for pages.

import { formatNumber } from "./format-number.ts";

const steps = [
  { unit: "second", seconds: 60 },
  { unit: "minute", seconds: 60 * 60 },
  { unit: "hour", seconds: 24 * 60 * 60 },
  { unit: "day", seconds: 100 * 24 * 60 * 60 },
  { unit: "month", seconds: 365 * 24 * 60 * 60 },
  { unit: "year", seconds: Number.POSITIVE_INFINITY },
] as const;

const secondsOf = { second: 1, minute: 60, hour: 3600, day: 86_400, month: 31_536_000 / 12, year: 31_536_000 } as const;
const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** How long ago a moment was, or how far ahead: "3 minutes ago", "in 2 days", "just now". Milliseconds since 1970. */
export function relative(moment: number, now: number): string {
  const seconds = (moment - now) / 1000;
  if (Math.abs(seconds) < 5) return "just now";
  // What lies ahead is rounded, so that a token of 90 days shows 90 days and not, a second later, 89.
  const round = seconds > 0 ? Math.round : Math.trunc;
  const count = (unit: keyof typeof secondsOf): number => round(seconds / secondsOf[unit]);
  const { unit } = steps.find((step) => Math.abs(count(step.unit)) * secondsOf[step.unit] < step.seconds) ?? steps[5];
  return words.format(count(unit), unit);
}

/** In how many milliseconds `relative` may say something else. */
export function changesIn(moment: number, now: number): number {
  const seconds = Math.abs(moment - now) / 1000;
  if (seconds < 60) return 5_000;
  return seconds < 3600 ? 30_000 : 600_000;
}

/** A span in its two largest units: "2 h 05 min", "3 d 4 h", "48 s". */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
  ];
  if (days > 0) return `${formatNumber(days)} d ${hours} h`;
  if (hours > 0) return `${hours} h ${String(minutes).padStart(2, "0")} min`;
  if (minutes > 0) return `${minutes} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${whole} s`;
}

const exact = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const month = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** The moment to the second, where the reader is: "1 Mar 2026, 13:00:00 CET". */
export const exactly = (moment: string): string => exact.format(new Date(moment));

/** "18 Mar" of "2026-03-18". */
export const dayOf = (name: string): string => day.format(new Date(`${name}T00:00:00Z`));

/** "March 2026" of "2026-03". */
export const monthOf = (name: string): string => month.format(new Date(`${name}-01T00:00:00Z`));
