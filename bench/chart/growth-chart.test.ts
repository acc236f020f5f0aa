import { describe, expect, it } from "vitest";
import type { GrowthRow } from "../verdict.ts";
import { growthChart } from "./growth-chart.ts";

const row = (name: string, ...medians: readonly number[]): GrowthRow => ({
  name,
  unit: "ms",
  points: medians.map((median, place) => ({ instances: 1000 * 10 ** place, median })),
});
const chart = (...costs: GrowthRow[]) => growthChart({ date: "2026-01-02", machine: ["2 cores"], costs });

describe("the chart of growth", () => {
  it("names each line with its growth, and with the figures that it is of", () => {
    const svg = chart(row("launch", 20, 20, 21, 24), row("list", 0.2, 0.2, 0.2, 0.2));
    expect(svg).toContain('launch 1.2×</tspan><tspan class="q" dx="7">20 → 24 ms');
    expect(svg).toContain("list 1×");
    expect(svg).toContain('<desc id="desc">launch: 1.2×; list: 1×.</desc>');
    expect(svg).toContain("2026-01-02; 2 cores");
  });

  it("has room for costs that fall", () => {
    const heights = [...chart(row("launch", 20, 10, 5, 2)).matchAll(/<circle[^>]* cy="([\d.]+)"/g)].map(([, y]) =>
      Number(y),
    );
    expect(Math.max(...heights)).toBeLessThanOrEqual(388);
  });

  it("draws no cost that it has no color for", () => {
    expect(() => chart(row("lunch", 1, 2))).toThrow("lunch is in no group");
  });
});
