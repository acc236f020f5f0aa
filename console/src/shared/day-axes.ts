// The axes of charts of money by day, as properties of the chart library's parts. Used by the charts of usage, revenue and the
// balance.

import { dayOf } from "./format-time.ts";

const tick = { fill: "var(--ink-soft)", fontSize: 12 };

export const chartMargin = { top: 8, right: 4, bottom: 0, left: 4 };

export const dayAxis = {
  dataKey: "day",
  tickFormatter: dayOf,
  tick,
  tickLine: false,
  axisLine: { stroke: "var(--line-strong)" },
  minTickGap: 24,
  // The same number of days between any two.
  interval: "equidistantPreserveStart",
} as const;

/** `ticks`, `label`: of moneyAxis. */
export const amountAxis = (ticks: readonly number[], label: (value: number) => string) => ({
  width: 64,
  ticks: [...ticks],
  // Each gridline has its amount.
  interval: 0 as const,
  tickFormatter: label,
  tick,
  tickLine: false,
  axisLine: false,
  domain: [ticks[0] ?? 0, ticks.at(-1) ?? 1] as const,
});
