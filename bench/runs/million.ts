// `million`: the costs of growth/costs.ts in datasets of 1,000, 10,000, 100,000 and 1,000,000 instances, on a tenth as
// many hosts, each in its own service and PostgreSQL. Rounds go through all datasets in turn, so that other load affects
// all; while one is measured the others are paused.

import type { Bench, StageName } from "../bench.ts";
import { shown } from "../output.ts";
import { type Figure, figureOf, median, ratioOf } from "../statistics.ts";
import type { GrowthRow, Result } from "../verdict.ts";
import { instancesOfAccount } from "../worlds/instances-at-rest.ts";
import { resyncedSinceStart } from "../worlds/settle.ts";
import { type CostName, costNames, costOf } from "./growth/costs.ts";

interface Size {
  readonly stage: StageName;
  readonly instances: number;
}

const sizes: readonly Size[] = [
  { stage: "small", instances: 1000 },
  { stage: "medium", instances: 10_000 },
  { stage: "large, full", instances: 100_000 },
  { stage: "huge", instances: 1_000_000 },
];

/** A cost's rounds in each dataset, from the smallest to the largest. */
type Rounds = readonly (readonly number[])[];

export async function million(bench: Bench): Promise<Result> {
  const { largeWorld, mostInstances } = bench.effort;
  if (!largeWorld) return { name: "million", missing: "left out of --quick: run it with --only million" };
  const measured = sizes.filter(({ instances }) => instances <= mostInstances);
  for (const { stage } of measured) {
    const { service } = await bench.stage(stage);
    // The next resync is the first that compares the instances, and would be due while launches are measured.
    await service.restart();
    await resyncedSinceStart(service);
  }
  const results = new Map<CostName, Rounds>();
  for (const name of costNames) results.set(name, await roundsOf(bench, name, measured));
  const of = (name: CostName): Rounds => results.get(name) ?? [];
  const growth = costNames.map((name) => growthRow(name, of(name), measured));
  return {
    name: "million",
    figures: {
      launch: ratio(of("launch")),
      list: ratio(of("list")),
      "fleet page": ratio(of("fleet page")),
      start: largest(of("start")),
      resync: largest(of("resync")),
      memory: largest(of("memory")),
    },
    notes: [
      `at ${measured.map(({ instances }) => instances.toLocaleString("en-US")).join(", ")} instances: ${growth.map(rowText).join("; ")}`,
      `latencies are p50 on few connections; every account has ${instancesOfAccount} instances; memory is read right after the resync that follows a start, by a process that has launched; restore creates its PostgreSQL too`,
    ],
    growth,
  };
}

async function roundsOf(bench: Bench, name: CostName, measured: readonly Size[]): Promise<number[][]> {
  const { measure, rounds, warmsUp } = costOf(name);
  const results = measured.map((): number[] => []);
  for (let round = warmsUp ? -1 : 0; round < rounds(bench.effort); round++) {
    for (const [place, { stage, instances }] of measured.entries()) {
      bench.say(`${name} at ${instances.toLocaleString("en-US")}`);
      const value = await measure(bench, await bench.stage(stage));
      if (round >= 0) results[place]?.push(value);
    }
  }
  return results;
}

/** The largest dataset against the smallest, round by round. */
function ratio(rounds: Rounds): Figure {
  return ratioOf(rounds.at(-1) ?? [], rounds[0] ?? []);
}

function largest(rounds: Rounds): Figure {
  return figureOf(rounds.at(-1) ?? []);
}

function growthRow(name: CostName, rounds: Rounds, measured: readonly Size[]): GrowthRow {
  const points = measured.map(({ instances }, place) => ({ instances, median: median(rounds[place] ?? []) }));
  return { name, unit: costOf(name).unit, points };
}

function rowText({ name, unit, points }: GrowthRow): string {
  return `${name} ${points.map((point) => shown(point.median)).join(", ")} ${unit}`;
}
