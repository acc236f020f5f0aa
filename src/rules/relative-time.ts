// Relative times for people: the single source for the console and the command line, which also give the exact
// timestamp on hover and in `--json`. Pure: the current time is passed in.

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

/** Relative to now: "3 minutes ago", "in 2 days", "just now". Milliseconds since 1970. */
export function relative(moment: number, now: number): string {
  const seconds = (moment - now) / 1000;
  if (Math.abs(seconds) < 5) return "just now";
  // Future times are rounded, so that a token of 90 days shows 90 days and not, a second later, 89.
  const round = seconds > 0 ? Math.round : Math.trunc;
  const count = (unit: keyof typeof secondsOf): number => round(seconds / secondsOf[unit]);
  const { unit } = steps.find((step) => Math.abs(count(step.unit)) * secondsOf[step.unit] < step.seconds) ?? steps[5];
  return words.format(count(unit), unit);
}
