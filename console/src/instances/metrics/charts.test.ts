// Which charts an instance has, and what they say in words.

import { describe, expect, it } from "vitest";
import { chartsOf, summariesOf, wordsOf } from "./charts.ts";

type Series = Parameters<typeof chartsOf>[0]["series"][number];

const series = (metric: Series["metric"], gpu: number | null, ...values: (number | null)[]): Series => ({
  metric,
  unit: "percent",
  gpu,
  values,
});

describe("the charts of an instance", () => {
  it("are those of metrics with values, GPUs first and a line for each", () => {
    const charts = chartsOf({
      series: [
        series("cpu_utilization", null, 5, null),
        series("memory_used", null, null, null),
        series("gpu_utilization", 0, 50, 100),
        series("gpu_utilization", 1, null, 0),
      ],
    });
    expect(charts.map(({ title, lines }) => [title, lines.map(({ label }) => label)])).toEqual([
      ["GPU", ["GPU 0", "GPU 1"]],
      ["CPU", ["CPU"]],
    ]);
    expect(charts.map(wordsOf)).toEqual([
      "GPU, GPU 0: now 100 %, mean 75 %, highest 100 %; GPU, GPU 1: now 0 %, mean 0 %, highest 0 %",
      "CPU: now 5 %, mean 5 %, highest 5 %",
    ]);
  });

  it("reach to the size of what is used, or to an even number", () => {
    const charts = chartsOf({
      series: [
        series("gpu_memory_used", 0, 1024),
        series("gpu_memory_size", 0, 81_920),
        series("gpu_power", 0, 310),
        series("gpu_utilization", 0, 3),
      ],
    });
    expect(charts.map(({ metric, most, format }) => [metric, format(most)])).toEqual([
      ["gpu_utilization", "100 %"],
      ["gpu_memory_used", "80 GiB"],
      ["gpu_power", "500 W"],
    ]);
    expect(summariesOf(charts).map(({ name, now }) => [name, now])).toEqual([
      ["GPU", "3 %"],
      ["GPU memory", "1 GiB"],
      ["GPU power", "310 W"],
    ]);
  });

  it("are none of a guest that reported nothing", () => {
    expect(chartsOf({ series: [] })).toEqual([]);
  });
});
