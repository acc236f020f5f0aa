// The cost of each day as bars. Loaded only with the usage page; the same numbers are in its table of days for those who
// do not see it.

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { moneyAxis } from "../shared/axis-ticks.ts";
import { dollars } from "../shared/format-money.ts";
import { dayOf } from "../shared/format-time.ts";
import classes from "./usage-page.module.css";

export interface DayCost {
  /** 2026-03-01 */
  readonly day: string;
  readonly microCents: bigint;
}

const microCentsPerDollar = 100_000_000;

export function DayChart({ days }: { readonly days: readonly DayCost[] }) {
  // Heights need no more digits than a screen has.
  const bars = days.map(({ day, microCents }) => ({
    day,
    microCents,
    dollars: Number(microCents) / microCentsPerDollar,
  }));
  const { ticks, label } = moneyAxis(Math.max(0, ...bars.map((bar) => bar.dollars)));
  return (
    <div className={classes.chart} aria-hidden="true">
      <ResponsiveContainer width="100%" height="100%">
        <BarChart data={bars} margin={{ top: 8, right: 4, bottom: 0, left: 4 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="day"
            tickFormatter={dayOf}
            tick={{ fill: "var(--ink-soft)", fontSize: 12 }}
            tickLine={false}
            axisLine={{ stroke: "var(--line-strong)" }}
            minTickGap={24}
          />
          <YAxis
            width={56}
            ticks={[...ticks]}
            tickFormatter={label}
            tick={{ fill: "var(--ink-soft)", fontSize: 12 }}
            tickLine={false}
            axisLine={false}
            domain={[0, ticks.at(-1) ?? 1]}
          />
          <Tooltip cursor={{ fill: "var(--hover)" }} content={<Told days={days} />} isAnimationActive={false} />
          <Bar dataKey="dollars" fill="var(--accent)" radius={[3, 3, 0, 0]} maxBarSize={36} isAnimationActive={false} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}

interface ToldProps {
  readonly days: readonly DayCost[];
  /** Given by the chart. */
  readonly active?: boolean;
  readonly label?: string | number;
}

function Told({ days, active = false, label }: ToldProps) {
  const day = days.find((one) => one.day === label);
  if (!active || day === undefined) return null;
  return (
    <div className={classes.told}>
      <span className="soft">{dayOf(day.day)}</span>
      <strong>{dollars(day.microCents)}</strong>
    </div>
  );
}
