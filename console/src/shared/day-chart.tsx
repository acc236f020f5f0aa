// Costs by day as stacked bars, for usage and revenue. Loaded lazily: charts are most of the code of their pages. Tables
// have the same numbers for people who cannot see it.

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { moneyAxis } from "./axis-ticks.ts";
import { amountAxis, chartMargin, dayAxis } from "./day-axes.ts";
import classes from "./day-chart.module.css";
import { dollars } from "./format-money.ts";
import { dayOf } from "./format-time.ts";

export interface DayCosts {
  /** 2026-03-01 */
  readonly day: string;
  /** Micro-cents by the key of a series; a series that is not there cost nothing. */
  readonly costs: Readonly<Record<string, bigint>>;
}

export interface Series {
  readonly key: string;
  readonly label: string;
}

interface DayChartProps {
  readonly days: readonly DayCosts[];
  /** From the bottom up. One alone needs no legend. */
  readonly series: readonly Series[];
}

const microCentsPerDollar = 100_000_000;

const colors = ["accent", "good", "amber-5", "cobalt-3", "red-5", "gray-5"].map((name) =>
  name.includes("-") ? `var(--mantine-color-${name})` : `var(--${name})`,
);
const colorOf = (index: number): string => colors[index] ?? "var(--idle)";

export function DayChart({ days, series }: DayChartProps) {
  // More digits than a screen shows are not needed.
  const bars = days.map(({ day, costs }) => ({
    day,
    heights: series.map(({ key }) => Number(costs[key] ?? 0n) / microCentsPerDollar),
  }));
  const totals = bars.map(({ heights }) => heights.reduce((sum, height) => sum + height, 0));
  const { ticks, label } = moneyAxis(Math.max(0, ...totals));
  return (
    <div aria-hidden="true">
      <div className={classes.chart}>
        <ResponsiveContainer width="100%" height="100%">
          <BarChart data={bars} margin={chartMargin} accessibilityLayer={false}>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis {...dayAxis} />
            <YAxis {...amountAxis(ticks, label)} />
            <Tooltip
              cursor={{ fill: "var(--hover)" }}
              content={<Details days={days} series={series} />}
              isAnimationActive={false}
            />
            {series.map(({ key }, index) => (
              <Bar
                key={key}
                dataKey={({ heights }: (typeof bars)[number]) => heights[index]}
                stackId="day"
                fill={colorOf(index)}
                radius={series.length === 1 ? [3, 3, 0, 0] : 0}
                maxBarSize={36}
                isAnimationActive={false}
              />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </div>
      {series.length > 1 && (
        <ul className={classes.legend}>
          {series.map(({ key, label }, index) => (
            <li key={key}>
              <Swatch color={colorOf(index)} />
              {label}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const Swatch = ({ color }: { readonly color: string }) => (
  <span className={classes.swatch} style={{ background: color }} />
);

interface DetailsProps extends DayChartProps {
  /** Given by the chart. */
  readonly active?: boolean;
  readonly label?: string | number;
}

function Details({ days, series, active = false, label }: DetailsProps) {
  const day = days.find((one) => one.day === label);
  if (!active || day === undefined) return null;
  const total = series.reduce((sum, { key }) => sum + (day.costs[key] ?? 0n), 0n);
  return (
    <div className={classes.details}>
      <div className={classes.line}>
        <span className="soft">{dayOf(day.day)}</span>
        <strong>{dollars(total)}</strong>
      </div>
      {series.length > 1 &&
        series.map(({ key, label: name }, index) => (
          <div key={key} className={classes.line}>
            <span>
              <Swatch color={colorOf(index)} />
              {name}
            </span>
            <span>{dollars(day.costs[key] ?? 0n)}</span>
          </div>
        ))}
    </div>
  );
}
