// The balance at the end of each day as a line. Loaded lazily: charts are most of the code of their pages. The ledger has the
// same numbers for people who cannot see it.

import { Area, AreaChart, CartesianGrid, ReferenceLine, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { moneyAxis } from "../shared/axis-ticks.ts";
import classes from "../shared/day-chart.module.css";
import { dollars } from "../shared/format-money.ts";
import { dayOf } from "../shared/format-time.ts";
import type { DayBalance } from "./per-day.ts";

const microCentsPerDollar = 100_000_000;

const tick = { fill: "var(--ink-soft)", fontSize: 12 };

export function BalanceChart({ days }: { readonly days: readonly DayBalance[] }) {
  // More digits than a screen shows are not needed.
  const points = days.map(({ day, microCents }) => ({
    day,
    height: microCents === undefined ? null : Number(microCents) / microCentsPerDollar,
  }));
  const heights = points.flatMap(({ height }) => height ?? []);
  const { ticks, label } = moneyAxis(Math.max(0, ...heights), Math.min(0, ...heights));
  return (
    <div aria-hidden="true" className={classes.chart}>
      <ResponsiveContainer width="100%" height="100%">
        <AreaChart data={points} margin={{ top: 8, right: 4, bottom: 0, left: 4 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="day"
            tickFormatter={dayOf}
            tick={tick}
            tickLine={false}
            axisLine={{ stroke: "var(--line-strong)" }}
            minTickGap={24}
            // The same number of days between any two.
            interval="equidistantPreserveStart"
          />
          <YAxis
            width={64}
            ticks={[...ticks]}
            // Each gridline has its amount.
            interval={0}
            tickFormatter={label}
            tick={tick}
            tickLine={false}
            axisLine={false}
            domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
          />
          <Tooltip
            cursor={{ stroke: "var(--line-strong)" }}
            content={<Details days={days} />}
            isAnimationActive={false}
          />
          <ReferenceLine y={0} stroke="var(--line-strong)" />
          <Area
            dataKey="height"
            type="linear"
            baseValue={0}
            stroke="var(--accent)"
            strokeWidth={2}
            fill="var(--accent)"
            fillOpacity={0.12}
            connectNulls={false}
            isAnimationActive={false}
          />
        </AreaChart>
      </ResponsiveContainer>
    </div>
  );
}

interface DetailsProps {
  readonly days: readonly DayBalance[];
  /** Given by the chart. */
  readonly active?: boolean;
  readonly label?: string | number;
}

function Details({ days, active = false, label }: DetailsProps) {
  const day = days.find((one) => one.day === label);
  if (!active || day?.microCents === undefined) return null;
  return (
    <div className={classes.details}>
      <div className={classes.line}>
        <span className="soft">{dayOf(day.day)}</span>
        <strong>{dollars(day.microCents)}</strong>
      </div>
    </div>
  );
}
