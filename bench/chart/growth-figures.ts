// The kept figures of `million` that the chart is drawn from: bench/growth.json, written by the benchmark with the chart.
// Used by main.ts, and by docs/pictures.ts, whose test fails while the chart is not of these figures.

import { readFileSync, writeFileSync } from "node:fs";
import type { GrowthRow } from "../verdict.ts";
import { growthChart } from "./growth-chart.ts";

export interface GrowthFigures {
  /** ISO date. */
  readonly date: string;
  readonly machine: readonly string[];
  readonly costs: readonly GrowthRow[];
}

const figuresFile = new URL("../growth.json", import.meta.url);

export const growthPicture = new URL("../../docs/pictures/growth.svg", import.meta.url);

export function keptGrowth(): GrowthFigures {
  return JSON.parse(readFileSync(figuresFile, "utf8")) as GrowthFigures; // as `keepGrowth` writes it
}

/** Replaces the kept figures and the chart. */
export function keepGrowth(figures: GrowthFigures): void {
  const { costs, ...run } = figures;
  const rounded = costs.map((row) => ({
    ...row,
    points: row.points.map((point) => ({ ...point, median: Number(point.median.toPrecision(4)) })),
  }));
  // One line a cost, so that a change shows which one it is of.
  const lines = rounded.map((row) => `    ${JSON.stringify(row)}`).join(",\n");
  const { date, machine } = run;
  const text = `{\n  "date": ${JSON.stringify(date)},\n  "machine": ${JSON.stringify(machine)},\n  "costs": [\n${lines}\n  ]\n}\n`;
  writeFileSync(figuresFile, text);
  writeFileSync(growthPicture, growthChart(keptGrowth()));
}
