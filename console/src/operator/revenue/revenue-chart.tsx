// The chart of revenue: a bar for each day, the accounts on each other. Loaded lazily, for charts are most of its code. The
// table below it says the same in numbers, so it is decoration for who does not see it.

import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { moneyAxis } from "../../shared/axis-ticks.ts";
import { moneyOf } from "../../shared/format-money.ts";
import { dayOf } from "../../shared/format-time.ts";
import type { ChartDay } from "./revenue.ts";

interface RevenueChartProps {
  readonly rows: readonly ChartDay[];
  readonly series: readonly { readonly name: string; readonly label: string }[];
}

const colours = ["cobalt.6", "green.6", "amber.5", "cobalt.3", "red.5", "gray.5"];

export function RevenueChart({ rows, series }: RevenueChartProps) {
  const totals = rows.map((row) => series.reduce((sum, { name }) => sum + Number(row[name] ?? 0), 0));
  const { ticks, label } = moneyAxis(Math.max(0, ...totals));
  return (
    <div aria-hidden="true">
      <BarChart
        h={300}
        data={[...rows]}
        dataKey="day"
        type="stacked"
        series={series.map(({ name, label }, index) => ({ name, label, color: colours[index] ?? "gray.5" }))}
        withLegend
        legendProps={{ verticalAlign: "bottom" }}
        tickLine="none"
        valueFormatter={(value) => moneyOf(value * 100)}
        xAxisProps={{ tickFormatter: dayOf, minTickGap: 24 }}
        yAxisProps={{ width: 64, ticks: [...ticks], domain: [0, ticks.at(-1) ?? 1], tickFormatter: label }}
        barProps={{ isAnimationActive: false, maxBarSize: 34 }}
        // Of what is hidden nothing may take the focus.
        barChartProps={{ accessibilityLayer: false }}
        tooltipAnimationDuration={0}
      />
    </div>
  );
}
