// The balance at the end of each day as a line. Loaded lazily: charts are most of the code of their pages. The ledger has the
// same numbers for people who cannot see it.

import { Area, AreaChart, CartesianGrid, ReferenceLine, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { moneyAxis } from "../shared/axis-ticks.ts";
import { amountAxis, chartMargin, dayAxis } from "../shared/day-axes.ts";
import classes from "../shared/day-chart.module.css";
import { dollars } from "../shared/format-money.ts";
import { dayOf } from "../shared/format-time.ts";
import type { DayBalance } from "./per-day.ts";

const microCentsPerDollar = 100_000_000;

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
        <AreaChart data={points} margin={chartMargin} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis {...dayAxis} />
          <YAxis {...amountAxis(ticks, label)} />
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
