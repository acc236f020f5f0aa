// `packing`: how well the order of hosts uses a fleet: what it sells of what instances that can be moved at any moment
// would sell, and what it allocates of what any order could, for a published trace. Replayed in memory (packing/), by the
// code that places launches; no service, no database.

import type { Bench } from "../bench.ts";
import { shown } from "../output.ts";
import { replayFleet } from "../packing/fleet.ts";
import { replayOpenb, traces } from "../packing/openb.ts";
import { figureOf, median } from "../statistics.ts";
import type { Result } from "../verdict.ts";

const load = 0.9;

export async function packing({ effort }: Bench): Promise<Result> {
  const seeds = Array.from({ length: effort.rounds }, (_, index) => index + 1);
  const fleet = seeds.map((seed) => replayFleet({ load, launches: effort.packedLaunches, seed }));
  const openb = traces.map((trace) => seeds.map((seed) => replayOpenb(trace, seed)));
  const middle = (of: (typeof fleet)[number]) => shown(of.soldWithMoves);
  return {
    name: "packing",
    figures: {
      sold: figureOf(fleet.map((one) => (100 * one.sold) / one.soldWithMoves)),
      "refused, 8 GPUs": figureOf(fleet.map((one) => one.refused8)),
      "split over NUMA nodes": figureOf(fleet.map((one) => one.split)),
      openb: figureOf(openb.flat().map((one) => (100 * one.allocated) / one.most)),
    },
    notes: [
      `100 hosts with 8 GPUs, load ${load}, ${effort.packedLaunches} launches: sold ${fleet.map((one) => shown(one.sold)).join(", ")} %, with moves ${fleet.map(middle).join(", ")} %`,
      `openb: ${traces.map((trace, index) => `${trace} ${shown(median((openb[index] ?? []).map((one) => one.allocated)))} of at most ${shown(median((openb[index] ?? []).map((one) => one.most)))} %`).join(", ")}`,
    ],
  };
}
