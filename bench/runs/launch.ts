// `launch`: the service's own cost, with an engine outside of its database, against the bare launch floor, alternating, on
// one PostgreSQL; also against Prism, which launches nothing. `launch-all`: the same with the simulated engine.

import type { Bench } from "../bench.ts";
import { interleave, type Side } from "../interleave.ts";
import type { PlannedRequest } from "../load/plan.ts";
import { shown } from "../output.ts";
import { floorLaunch, startLaunchFloor } from "../peers/launch-floor/start.ts";
import { isThere } from "../peers/missing.ts";
import { startPrism } from "../peers/prism.ts";
import { figureOf, median, ratioOf } from "../statistics.ts";
import type { Beside, Outcome } from "../verdict.ts";
import { LAUNCH_CONNECTIONS, launchRound, spreadOnMain } from "./launching.ts";

export async function launch(bench: Bench): Promise<Outcome> {
  const { ratio, p99s, besides, notes } = await launches(bench, "external");
  return { name: "launch", figures: { floor: ratio, p99: figureOf(p99s) }, besides, notes };
}

export async function launchAll(bench: Bench): Promise<Outcome> {
  const { ratio, besides, notes } = await launches(bench, "main");
  return { name: "launch-all", figures: { "": ratio }, besides, notes };
}

async function launches(bench: Bench, name: "external" | "main") {
  const stage = await bench.stage(name);
  const { effort, generator, directory } = bench;
  await using ends = new AsyncDisposableStack();
  const floor = ends.use(await startLaunchFloor(stage.service, directory));
  const prism = await startPrism(stage.service, directory, effort.installs);
  if (isThere(prism)) ends.use(prism);
  const requests = spreadOnMain(stage.customers);
  const p99s: number[] = [];
  const service: Side = async (counts) => {
    const load = await launchRound(bench, stage, requests, counts);
    if (counts) p99s.push(load.latencies.percentileMs(99));
    return load.rate;
  };
  const peer = (port: number, what: readonly PlannedRequest[]) => async (counts: boolean) => {
    const seconds = counts ? effort.launchSeconds : effort.warmUpSeconds;
    return (await generator.run({ ports: [port], requests: what, connections: LAUNCH_CONNECTIONS, seconds })).rate;
  };
  const mocked = requests.map((request) => ({ ...request, path: "/instance-operations/launch" }));
  const rounds = await interleave<"service" | "floor" | "prism">(
    {
      service,
      floor: peer(floor.port, [floorLaunch]),
      prism: isThere(prism) ? peer(prism.port, mocked) : async () => 0,
    },
    effort.rounds,
  );
  const beside: Beside = isThere(prism)
    ? { against: "Prism", ratio: ratioOf(rounds.service, rounds.prism) }
    : { against: "Prism", missing: prism.missing };
  return {
    ratio: ratioOf(rounds.service, rounds.floor),
    p99s,
    besides: [beside],
    notes: [
      `${shown(median(rounds.service))}/s (p99 ${shown(median(p99s))} ms) against ${shown(median(rounds.floor))}/s of the floor and ${shown(median(rounds.prism))}/s of Prism; ${LAUNCH_CONNECTIONS} connections; 10 products, 5 regions, ${stage.customers.length} accounts; reconciler runs beside it`,
    ],
  };
}
