// Revenue from usage by day: sums by day and account, and the rows of the chart. Exact, in whole micro-cents.

import type { Shape } from "../../../../src/client/client.ts";
import type { DayCosts } from "../../shared/day-chart.tsx";

type UsageDay = Shape<"UsageDay">;

export interface AccountRevenue {
  readonly accountId: string;
  readonly microCents: bigint;
  readonly seconds: number;
}

/** The accounts, highest spend first. */
export function byAccount(days: readonly UsageDay[]): AccountRevenue[] {
  const accounts = Map.groupBy(days, ({ account_id }) => account_id);
  return [...accounts]
    .map(([accountId, lines]) => ({
      accountId,
      microCents: sum(lines),
      seconds: lines.reduce((all, { seconds }) => all + seconds, 0),
    }))
    .sort((a, b) => (a.microCents === b.microCents ? 0 : a.microCents < b.microCents ? 1 : -1));
}

export const others = "others";

/**
 * Every day of the requested period for the chart, also those without use. Series are the ids of
 * `accounts`, and `others`.
 */
export function chartDays(
  days: readonly UsageDay[],
  from: string,
  to: string,
  accounts: readonly string[],
): DayCosts[] {
  const byDay = Map.groupBy(days, ({ day }) => day);
  return daysBetween(from, to).map((day) => {
    const lines = Map.groupBy(byDay.get(day) ?? [], ({ account_id: id }) => (accounts.includes(id) ? id : others));
    return { day, costs: Object.fromEntries([...lines].map(([key, of]) => [key, sum(of)])) };
  });
}

/** Both inclusive, as "2026-03-01". */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(`${from}T00:00:00Z`); at <= Date.parse(`${to}T00:00:00Z`); at += 86_400_000)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

export const sum = (lines: readonly { readonly cost_micro_cents: string }[]): bigint =>
  lines.reduce((all, { cost_micro_cents }) => all + BigInt(cost_micro_cents), 0n);

export const periods = ["this-month", "last-month", "90-days"] as const;
export type Period = (typeof periods)[number];

/** The first and the last day of a period, UTC as bills are. */
export function daysOf(period: Period, now: Date): { from: string; to: string } {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const text = (at: number) => new Date(at).toISOString().slice(0, 10);
  const today = text(now.getTime());
  if (period === "this-month") return { from: text(Date.UTC(year, month, 1)), to: today };
  if (period === "last-month") return { from: text(Date.UTC(year, month - 1, 1)), to: text(Date.UTC(year, month, 0)) };
  return { from: text(now.getTime() - 89 * 86_400_000), to: today };
}
