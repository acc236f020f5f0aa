// `packing`: how well the order of hosts uses a fleet: what it sells of what instances that can be moved at any moment
// would sell, and what it allocates of what any order could, for a published trace. Replayed in memory (packing/), by the
// code that places launches; no service, no database.

import type { Bench } from "../bench.ts";
import { shown } from "../output.ts";
import { replayFleet } from "../packing/fleet.ts";
import { replayOpenb, traces } from "../packing/openb.ts";
import { replayWaiting } from "../packing/waiting.ts";
import { figureOf, median } from "../statistics.ts";
import type { Result } from "../verdict.ts";

const load = 0.9;
/** Where launches that wait sell what others leave. */
const fullLoads = [load, 0.95, 1, 1.1];

export async function packing({ effort }: Bench): Promise<Result> {
  const seeds = Array.from({ length: effort.rounds }, (_, index) => index + 1);
  const fleet = seeds.map((seed) => replayFleet({ load, launches: effort.packedLaunches, seed }));
  const waiting = fullLoads.map((full) => waitingAt(full, effort.packedLaunches, seeds));
  const [at = []] = waiting;
  // A choice of evictions looks at each host, so of fewer launches.
  const spot = fullLoads.map((full) => spotAt(full, effort.packedLaunches / 20, seeds.slice(0, 2)));
  const [withSpot = []] = spot;
  const openb = traces.map((trace) => seeds.map((seed) => replayOpenb(trace, seed)));
  const middle = (of: (typeof fleet)[number]) => shown(of.soldWithMoves);
  return {
    name: "packing",
    figures: {
      sold: figureOf(fleet.map((one) => (100 * one.sold) / one.soldWithMoves)),
      "refused, 8 GPUs": figureOf(fleet.map((one) => one.refused8)),
      "split over NUMA nodes": figureOf(fleet.map((one) => one.split)),
      "by waiting": figureOf(at.map(({ more }) => more)),
      "by waiting and spot": figureOf(withSpot.map(({ more }) => more)),
      openb: figureOf(openb.flat().map((one) => (100 * one.allocated) / one.most)),
    },
    notes: [
      `100 hosts with 8 GPUs, load ${load}, ${effort.packedLaunches} launches: sold ${fleet.map((one) => shown(one.sold)).join(", ")} %, with moves ${fleet.map(middle).join(", ")} %`,
      `launches that do not fit wait, up to a day: ${waiting.map((ones, index) => `load ${fullLoads[index]} ${shown(median(ones.map(({ sold }) => sold)))} % (${shown(median(ones.map(({ more }) => more)))} more)`).join(", ")}`,
      `with spot instances of one GPU on all that is free otherwise: ${spot.map((ones, index) => `load ${fullLoads[index]} ${shown(median(ones.map((one) => one.sold)))} % and ${shown(median(ones.map((one) => one.spot)))} % as spot (${shown(median(ones.map(({ more }) => more)))} more)`).join(", ")}`,
      `openb: ${traces.map((trace, index) => `${trace} ${shown(median((openb[index] ?? []).map((one) => one.allocated)))} of at most ${shown(median((openb[index] ?? []).map((one) => one.most)))} %`).join(", ")}`,
    ],
  };
}

/** Per cent of all GPU hours sold, and how many more than without waiting. */
function waitingAt(full: number, launches: number, seeds: readonly number[]) {
  return seeds.map((seed) => {
    const replay = { load: full, launches: launches / 2, seed };
    const { sold } = replayWaiting(replay);
    return { sold, more: sold - replayFleet(replay).sold };
  });
}

/** The same with spot instances, of which the sum counts. */
function spotAt(full: number, launches: number, seeds: readonly number[]) {
  return seeds.map((seed) => {
    const replay = { load: full, launches, seed };
    const { sold, spot } = replayWaiting({ ...replay, withSpot: true });
    return { sold, spot, more: sold + spot - replayFleet(replay).sold };
  });
}
