// Random histories of reservations, judged by an exact model (reservation-model/): reservations of all sizes and times,
// launches with and without lifetimes, spot, launches that wait, launches that use reservations, ends, cancels, hosts that are cordoned or not reached,
// maintenance, time, two replicas at once, and jobs that end in the middle.
//
// npm test plays a few of them, npm run test:crash many.
// LESSOR_TEST_RUNS says how many histories; LESSOR_TEST_SEED repeats what failed, which prints it. To look for what these
// do not find:
//
//   LESSOR_TEST_RUNS=1000 LESSOR_TEST_SEED=1 node_modules/.bin/vitest run test/reconciler/reservations-random.test.ts

import { beforeAll, describe, expect, it } from "vitest";
import { histories } from "../support/extent.ts";
import { chosenSeed, type Random, seeded } from "../support/random.ts";
import { Waiting } from "../support/waiting.ts";
import { worldOfFile } from "../support/world.ts";
import { History } from "./reservation-model/history.ts";
import { Stage } from "./reservation-model/stage.ts";

const runs = histories(2, 60);
const steps = 40;
const patienceMs = 120_000 + runs * 60_000;

const world = worldOfFile();
let stage: Stage;

beforeAll(() => {
  stage = new Stage(world);
});

/** What happened in all histories, and how often. */
const counts = new Map<string, number>();

async function fleet(random: Random) {
  await world.image();
  for (let left = 2 + random.below(3); left > 0; left--) {
    const gpus = random.one([2, 4, 8]);
    const room = { vcpus: gpus * 8 + random.one([0, 16]), memoryGib: gpus * 64, storageGb: gpus * 500 };
    await world.host({ gpus, ...room, region: random.one(["north", "north", "south"]) });
  }
  await world.region("north");
  await world.region("south");
  const spot = { spotPriceCentsPerHour: 30 };
  const types = [
    await world.product({ ...spot, gpus: 0, vcpus: 6, memoryGib: 32, storageGb: 100 }),
    await world.product({ ...spot, gpus: 1 }),
    await world.product({ ...spot, gpus: 2, vcpus: 16, memoryGib: 128, storageGb: 1000 }),
    await world.product({ ...spot, gpus: 4, vcpus: 32, memoryGib: 256, storageGb: 2000 }),
  ];
  const waiting = new Waiting(world);
  return { types, principals: [await waiting.customer(), await waiting.customer()] };
}

async function play(seed: number): Promise<number> {
  await world.empty();
  await stage.begin();
  const random = seeded(seed);
  const { types, principals } = await fleet(random);
  const history = new History(stage, random, principals, types);
  for (let step = 0; step < steps; step++) await history.next();
  await history.clear();
  for (const [kind, times] of history.counts) counts.set(kind, (counts.get(kind) ?? 0) + times);
  return history.steps;
}

describe("whatever happens to hosts, launches and reservations", () => {
  it("nothing is promised twice, what is promised is there, and what is rejected has no room", {
    timeout: patienceMs,
  }, async () => {
    const wrong: string[] = [];
    let operations = 0;
    for (let run = 0; run < runs; run++) {
      const seed = chosenSeed + run;
      try {
        operations += await play(seed);
      } catch (error) {
        wrong.push(`LESSOR_TEST_SEED=${seed} LESSOR_TEST_RUNS=1: ${error instanceof Error ? error.stack : error}`);
        process.stdout.write(`${wrong.at(-1)}\n`);
        if (wrong.length >= 10) break;
      }
    }
    const told = [...counts].map(([kind, times]) => `${kind}: ${times}`).sort();
    process.stdout.write(`LESSOR_TEST_SEED=${chosenSeed}: ${runs} histories, ${operations} operations\n`);
    process.stdout.write(`${told.join(", ")}\n`);
    expect(wrong).toEqual([]);
  });
});
