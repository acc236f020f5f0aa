// `launch-placement`: a launch against a reservation of OpenStack Placement, alternating, on one PostgreSQL.

import type { Bench } from "../bench.ts";
import { interleave } from "../interleave.ts";
import { shown } from "../output.ts";
import { isThere } from "../peers/missing.ts";
import { reservations } from "../peers/placement/reservations.ts";
import { startPlacement } from "../peers/placement/start.ts";
import { median, ratioOf } from "../statistics.ts";
import type { Result } from "../verdict.ts";
import { launchRound, spreadOnMain } from "./launching.ts";

/** More would only wait: it has four workers. */
const CONNECTIONS = 8;

export async function launchPlacement(bench: Bench): Promise<Result> {
  const stage = await bench.stage("external");
  const { effort, generator } = bench;
  const placement = await startPlacement(stage.service, bench.directory, effort.installs);
  if (!isThere(placement)) return { name: "launch-placement", missing: placement.missing };
  await using peer = placement;
  const requests = spreadOnMain(stage.customers);
  const reserving = reservations();
  const rounds = await interleave(
    {
      service: async (counts) => (await launchRound(bench, stage, requests, counts)).rate,
      placement: async (counts) => {
        const seconds = counts ? effort.launchSeconds : effort.warmUpSeconds;
        return (await generator.run({ ports: [peer.port], requests: reserving, connections: CONNECTIONS, seconds }))
          .rate;
      },
    },
    effort.rounds,
  );
  return {
    name: "launch-placement",
    figures: { "": ratioOf(rounds.service, rounds.placement) },
    notes: [
      `${shown(median(rounds.service))}/s against ${shown(median(rounds.placement))}/s of Placement (4 uWSGI processes, ${CONNECTIONS} connections, 400 providers, one PUT /allocations each)`,
    ],
  };
}
