// `scale`: the latency of a launch in a large dataset against a small one, alternating, each in its own service and
// PostgreSQL. Few connections, so that it measures a launch and not a queue.

import type { Bench } from "../bench.ts";
import type { Histogram } from "../load/histogram.ts";
import { shown } from "../output.ts";
import { type Figure, median, ratioOf } from "../statistics.ts";
import type { Result } from "../verdict.ts";
import { CALM_CONNECTIONS, calmLaunches } from "./launching.ts";

export async function scale(bench: Bench): Promise<Result> {
  if (!bench.effort.largeWorld) return { name: "scale", missing: "left out of --quick: run bench:scale" };
  await bench.stage("large, full");
  await bench.stage("small");
  const [large, small]: [Histogram[], Histogram[]] = [[], []];
  await calmLaunches(bench, await bench.stage("large, full"));
  await calmLaunches(bench, await bench.stage("small"));
  for (let i = 0; i < bench.effort.rounds; i++) {
    large.push(await calmLaunches(bench, await bench.stage("large, full")));
    small.push(await calmLaunches(bench, await bench.stage("small")));
  }
  const of = (side: readonly Histogram[], percent: number) => side.map((one) => one.percentileMs(percent));
  const ratio = (percent: number): Figure => ratioOf(of(large, percent), of(small, percent));
  const middle = (side: readonly Histogram[], percent: number) => shown(median(of(side, percent)));
  return {
    name: "scale",
    figures: { p50: ratio(50), p99: ratio(99) },
    notes: [
      `p50 ${middle(large, 50)} ms against ${middle(small, 50)} ms, p99 ${middle(large, 99)} ms against ${middle(small, 99)} ms; ${CALM_CONNECTIONS} connections, every other launch in any region`,
      "each service stands still while the other is measured, which puts its sweeps off: what they do to p99 is hardly in it",
    ],
  };
}
