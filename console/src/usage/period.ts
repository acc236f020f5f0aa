// Periods of usage: their days, in UTC. Pure. Used by the pages of usage and of the balance.

export interface Period {
  /** The first day: 2026-03-01. */
  readonly from: string;
  /** The last day. */
  readonly to: string;
}

export const periodNames = ["this-month", "last-month", "7-days", "30-days"] as const;
export type PeriodName = (typeof periodNames)[number];

const dayMilliseconds = 86_400_000;
const isoDay = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** `now`: milliseconds since 1970. */
export function periodOf(name: PeriodName, now: number): Period {
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  if (name === "this-month") return { from: isoDay(Date.UTC(year, month, 1)), to: isoDay(now) };
  if (name === "last-month")
    return { from: isoDay(Date.UTC(year, month - 1, 1)), to: isoDay(Date.UTC(year, month, 0)) };
  const days = name === "7-days" ? 7 : 30;
  return { from: isoDay(now - (days - 1) * dayMilliseconds), to: isoDay(now) };
}

/** Every day of a period, also those on which nothing was used. */
export function daysOf({ from, to }: Period): readonly string[] {
  const days: string[] = [];
  for (let day = Date.parse(`${from}T00:00:00Z`); day <= Date.parse(`${to}T00:00:00Z`); day += dayMilliseconds) {
    days.push(isoDay(day));
  }
  return days;
}

/** The cost of every day of a period. */
export function perDayOf(
  days: readonly { readonly day: string; readonly cost_micro_cents: string }[],
  period: Period,
): readonly { readonly day: string; readonly microCents: bigint }[] {
  const costs = new Map(days.map(({ day, cost_micro_cents: cost }) => [day, BigInt(cost)]));
  return daysOf(period).map((day) => ({ day, microCents: costs.get(day) ?? 0n }));
}
