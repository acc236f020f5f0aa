// Random histories of launches that wait, compared with an exact model (waiting-model/): launches of all sizes, ends,
// failures, cancels, expiry, quotas, prices, spend limits, hosts and GPUs that come and go, keys and tokens that are gone,
// placers at once, and placers that end in the middle.
//
// npm test plays a few of them, npm run test:crash many.
// LESSOR_TEST_RUNS says how many histories; LESSOR_TEST_SEED repeats what failed, which prints it. To look for what these
// do not find:
//
//   LESSOR_TEST_RUNS=3000 LESSOR_TEST_SEED=1 node_modules/.bin/vitest run test/reconciler/waiting-launches-random.test.ts

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { histories } from "../support/extent.ts";
import { chosenSeed, seeded } from "../support/random.ts";
import { worldOfFile } from "../support/world.ts";
import { begin } from "./waiting-model/fleet.ts";
import { History } from "./waiting-model/history.ts";
import { Operations } from "./waiting-model/operations.ts";
import { Stage } from "./waiting-model/stage.ts";

const runs = histories(3, 200);
const steps = 30;
const patienceMs = 60_000 + runs * 5_000;

const world = worldOfFile();
let stage: Stage;

beforeAll(() => {
  stage = new Stage(world);
});
afterAll(() => stage.close());

/** What happened in all histories, and how often. */
const moves = new Map<string, number>();

/** How many operations it had. */
async function play(seed: number): Promise<number> {
  await world.empty();
  const random = seeded(seed);
  await stage.begin(random.below(2) === 0);
  const { model, principals } = await begin(world, random);
  const history = new History(stage, model);
  const operations = new Operations(world, random, history, principals);
  await operations.fill();
  for (let step = 0; step < steps; step++) {
    await operations.next();
    // Newcomers also come before the placer does.
    if (random.below(10) < 7) await history.rest();
  }
  await history.rest();
  await history.books();
  await operations.clear();
  await history.rest();
  await history.books();
  expect([...history.model.hosts.values()].filter(({ kept }) => kept !== undefined)).toEqual([]);
  for (const [kind, times] of history.moves) moves.set(kind, (moves.get(kind) ?? 0) + times);
  return history.steps;
}

describe("whatever happens to launches that wait", () => {
  it("no launch takes what an earlier one waits for, and none waits that could be placed", {
    timeout: patienceMs,
  }, async () => {
    const wrong: string[] = [];
    let [operations, sinceMs] = [0, performance.now()];
    for (let run = 0; run < runs; run++) {
      const seed = chosenSeed + run;
      try {
        operations += await play(seed);
      } catch (error) {
        wrong.push(`LESSOR_TEST_SEED=${seed} LESSOR_TEST_RUNS=1: ${error instanceof Error ? error.stack : error}`);
        // At once: what depends on the moment may not come again.
        process.stdout.write(`${wrong.at(-1)}\n`);
        if (wrong.length >= 10) break;
      }
      if (performance.now() - sinceMs > 30_000) {
        sinceMs = performance.now();
        process.stdout.write(`${run + 1} histories, ${operations} operations, ${wrong.length} differences\n`);
      }
    }
    process.stdout.write(
      `LESSOR_TEST_SEED=${chosenSeed}: ${runs} histories, ${operations} operations, ${wrong.length} differences\n`,
    );
    process.stdout.write(
      `${[...moves]
        .map(([kind, times]) => `${kind}: ${times}`)
        .sort()
        .join(", ")}\n`,
    );
    expect(wrong).toEqual([]);
  });
});
