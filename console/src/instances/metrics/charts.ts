// Which charts an instance has, from what its guest reported. Pure; used by metrics-view.tsx. The metrics, their units and
// sizes come from src/rules/guest-metrics.ts.

import type { Shape } from "../../../../src/client/client.ts";
import { type GuestMetric, guestMetricNames, guestUnits, traitsOf } from "../../../../src/rules/guest-metrics.ts";
import { withSymbol } from "../../shared/line-chart.tsx";
import { evenTop, type Line } from "../../shared/line-path.ts";

export interface Chart {
  readonly metric: GuestMetric;
  readonly title: string;
  readonly lines: readonly Line[];
  readonly most: number;
  readonly format: (value: number) => string;
}

/** What a table says of one line. */
export interface Summary {
  readonly key: string;
  readonly name: string;
  readonly now: string;
  readonly mean: string;
  readonly most: string;
}

type Metrics = Pick<Shape<"InstanceMetrics">, "series">;

/** GPUs first, as they are what is rented; a chart for each metric that has values. */
export function chartsOf({ series }: Metrics): readonly Chart[] {
  const sizes = guestMetricNames.map((name) => traitsOf(name).size);
  const named = guestMetricNames.filter((name) => !sizes.includes(name));
  const ordered = [
    ...named.filter((name) => traitsOf(name).of === "gpu"),
    ...named.filter((name) => traitsOf(name).of !== "gpu"),
  ];
  return ordered.flatMap((metric): Chart[] => {
    const own = series.filter((one) => one.metric === metric && one.values.some((value) => value !== null));
    if (own.length === 0) return [];
    const { title, unit, size } = traitsOf(metric);
    const lines = own.map(({ gpu, values }) => ({
      key: `${metric} ${gpu ?? ""}`,
      label: gpu === null ? title : own.length === 1 ? "GPU" : `GPU ${gpu}`,
      values,
    }));
    const highest = highestOf(own);
    const whole = highestOf(series.filter((one) => one.metric === size));
    const most = unit === "percent" ? 100 : whole > 0 ? whole : evenTop(highest);
    const format = (value: number) =>
      unit === "mebibytes" ? withSymbol(value / 1024, "GiB") : withSymbol(value, guestUnits[unit].symbol);
    return [{ metric, title, lines, most, format }];
  });
}

/** A row for each line of each chart. */
export function summariesOf(charts: readonly Chart[]): readonly Summary[] {
  return charts.flatMap(({ title, lines, format }) =>
    lines.map(({ key, label, values }): Summary => {
      const known = values.filter((value) => value !== null);
      const mean = known.reduce((sum, value) => sum + value, 0) / Math.max(known.length, 1);
      return {
        key,
        name: label === title || lines.length === 1 ? title : `${title}, ${label}`,
        now: format(known.at(-1) ?? 0),
        mean: format(mean),
        most: format(Math.max(0, ...known)),
      };
    }),
  );
}

/** "GPU 0: now 97 %, mean 80 %, highest 100 %". */
export function wordsOf(chart: Chart): string {
  return summariesOf([chart])
    .map(({ name, now, mean, most }) => `${name}: now ${now}, mean ${mean}, highest ${most}`)
    .join("; ");
}

function highestOf(series: Metrics["series"]): number {
  return Math.max(0, ...series.flatMap(({ values }) => values.filter((value) => value !== null)));
}
