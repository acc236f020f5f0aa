// `scale`: the latency of a launch in a large dataset against a small one, alternating, each in its own service and
// PostgreSQL. Few connections, so that it measures a launch and not a queue.

import type { Bench, Stage } from "../bench.ts";
import type { Histogram } from "../load/histogram.ts";
import { shown } from "../output.ts";
import { type Figure, median, ratioOf } from "../statistics.ts";
import type { Result } from "../verdict.ts";
import { regions, smallWorld } from "../worlds/catalog.ts";
import { cleared } from "../worlds/settle.ts";
import { spreadLaunches } from "./launching.ts";

const CONNECTIONS = 4;
/** Every other launch leaves the region to the service, which then has five times the hosts to choose from. */
const places = regions.flatMap((region) => [region, "any"]);
/** Of a model 10 in any region and 2 in each: never more than the 16 places that the small dataset has of it in one. */
const MOST = 200;

export async function scale(bench: Bench): Promise<Result> {
  if (!bench.effort.largeWorld) return { name: "scale", missing: "left out of --quick: run bench:scale" };
  await bench.stage("large, full");
  await bench.stage("small");
  const [large, small]: [Histogram[], Histogram[]] = [[], []];
  await round(bench, await bench.stage("large, full"));
  await round(bench, await bench.stage("small"));
  for (let i = 0; i < bench.effort.rounds; i++) {
    large.push(await round(bench, await bench.stage("large, full")));
    small.push(await round(bench, await bench.stage("small")));
  }
  const of = (side: readonly Histogram[], percent: number) => side.map((one) => one.percentileMs(percent));
  const ratio = (percent: number): Figure => ratioOf(of(large, percent), of(small, percent));
  const middle = (side: readonly Histogram[], percent: number) => shown(median(of(side, percent)));
  return {
    name: "scale",
    figures: { p50: ratio(50), p99: ratio(99) },
    notes: [
      `p50 ${middle(large, 50)} ms against ${middle(small, 50)} ms, p99 ${middle(large, 99)} ms against ${middle(small, 99)} ms; ${CONNECTIONS} connections, every other launch in any region`,
      "each service stands still while the other is measured, which puts its sweeps off: what they do to p99 is hardly in it",
    ],
  };
}

async function round(bench: Bench, { service, customers }: Stage): Promise<Histogram> {
  const load = await bench.generator.run({
    ports: [service.ports.main],
    requests: spreadLaunches(customers, smallWorld.models, places),
    connections: CONNECTIONS,
    seconds: bench.effort.launchSeconds,
    mostRequests: MOST,
  });
  await cleared(service, customers);
  return load.latencies;
}
