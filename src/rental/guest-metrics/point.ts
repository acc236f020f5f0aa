// The values of an instance at one time, or over a time: how several become one. Pure; used wherever the resolution
// falls, when points are stored with less of it, and when they are read for a chart.

import { type GuestMetric, gpuMetricNames, instanceMetricNames, traitsOf } from "../../rules/guest-metrics.ts";

/** One value of each metric in the order of the table; null: unknown. */
export type Values = readonly (number | null)[];

export interface Point {
  /** How many samples are in it: at least 1, and not more than fit into a byte. */
  readonly samples: number;
  readonly instance: Values;
  /** By GPU, in the order of the guest's driver. */
  readonly gpus: readonly Values[];
}

/** So many samples are there of an hour, and a byte holds them. */
export const mostSamples = 255;

/** One point of those, which are in the order of their times and at least one. */
export function combined(points: readonly Point[]): Point {
  const [first] = points;
  if (first === undefined) throw new Error("BUG: no points to combine");
  if (points.length === 1) return first;
  const gpus = Math.max(...points.map((point) => point.gpus.length));
  return {
    samples: Math.min(
      points.reduce((sum, { samples }) => sum + samples, 0),
      mostSamples,
    ),
    instance: instanceMetricNames.map((name, at) => combinedValue(name, points, (point) => point.instance[at])),
    gpus: Array.from({ length: gpus }, (_, gpu) =>
      gpuMetricNames.map((name, at) => combinedValue(name, points, (point) => point.gpus[gpu]?.[at])),
    ),
  };
}

function combinedValue(
  name: GuestMetric,
  points: readonly Point[],
  of: (point: Point) => number | null | undefined,
): number | null {
  const { combine } = traitsOf(name);
  let [sum, weight, most, last]: [number, number, number | null, number | null] = [0, 0, null, null];
  for (const point of points) {
    const value = of(point);
    if (value === null || value === undefined) continue;
    sum += value * point.samples;
    weight += point.samples;
    most = most === null ? value : Math.max(most, value);
    last = value;
  }
  if (combine === "mean") return weight === 0 ? null : sum / weight;
  return combine === "max" ? most : last;
}
