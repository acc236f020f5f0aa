// Times and durations as people read them. Pure: callers pass the present. `exactly` is for time.tsx alone.

import { formatNumber } from "./format-number.ts";

/** Milliseconds until `relative` may change. */
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
