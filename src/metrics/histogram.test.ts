import { Histogram as PromHistogram, Registry } from "prom-client";
import { expect, it } from "vitest";
import { Metrics } from "./metrics.ts";
import { metricTable } from "./table.ts";

const name = "lessor_engine_call_duration_seconds";

/** Of the metric only. */
async function shown(text: Promise<string>): Promise<string[]> {
  return (await text).split("\n").filter((line) => line.includes(name));
}

it("histograms are shown letter for letter as prom-client shows its own", async () => {
  const { help, labels: labelNames, buckets } = metricTable[name];
  const registry = new Registry();
  const theirs = new PromHistogram({ name, help, labelNames, buckets: [...(buckets ?? [])], registers: [registry] });
  const ours = new Metrics();
  expect(await shown(ours.text())).toEqual(await shown(registry.metrics()));
  const here = { engine: "one", call: "start", result: "ok" };
  const odd = { engine: 'a "quoted"\nname', call: "start", result: "ok" };
  // Below all bounds, on one, between two, beyond all.
  for (const [labels, seconds] of [
    [here, 0],
    [here, 0.025],
    [odd, 0.3],
    [here, 1000],
    [odd, 0.1 + 0.2],
  ] as const) {
    theirs.observe(labels, seconds);
    ours.observe(name, labels, seconds);
  }
  expect(await shown(ours.text())).toEqual(await shown(registry.metrics()));
});

it("a cell is the same for the same labels, in whatever order they are told", () => {
  const metrics = new Metrics();
  const cell = metrics.cell(name, { engine: "one", call: "start", result: "ok" });
  expect(metrics.cell(name, { result: "ok", call: "start", engine: "one" })).toBe(cell);
  expect(metrics.cell(name, { engine: "one", call: "start", result: "failed" })).not.toBe(cell);
});
