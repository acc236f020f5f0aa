// Every request that a life of an instance on OpenStack makes, and every step of its reconciler: the process dies before it
// and after it, or with it still on its way, and another takes over. Which there are is found by an undisturbed run. On the
// fake cloud; openstack-killed.test.ts kills the real program.
//
// LESSOR_TEST_SEED repeats the choice of a short run. LESSOR_TEST_ONLY is a regular expression for the titles of the cases.

import { expect, it } from "vitest";
import { anySeed, seeded } from "../support/random.ts";
import { isShort } from "../support/short.ts";
import { Stage } from "../support/stage.ts";
import { makeWorld } from "../support/world.ts";
import { figure } from "./figures.ts";
import { cutsAt } from "./openstack/cutting.ts";
import { beginCloud, type Death, furnish, Life, type Outcome, type Scenario } from "./openstack/life.ts";
import type { Disturbance } from "./steps/cases.ts";

/** So many databases and clouds at once. */
const LANES = 2;

/** So many cases of each scenario in a short run. */
const SHORT = 24;

/** All 620 cases take six minutes, and longer beside other work. */
const longest = 3_600_000;

interface Case {
  readonly scenario: Scenario;
  readonly death: Death;
}

const scenarios: readonly Scenario[] = ["a whole life", "a wait that ends with capacity", "a wait in vain"];

it("a process killed at any request to the cloud leaves nothing behind that another does not put right", {
  timeout: longest,
}, async () => {
  const random = seeded(anySeed());
  const undisturbed = await playAll(scenarios.map((scenario) => ({ scenario, death: undefined })));
  expect(undisturbed.flatMap(({ outcome }) => outcome.wrong)).toEqual([]);
  const cases = undisturbed.flatMap(({ scenario, outcome }) => {
    const all = [...cutsAt(outcome.requests), ...killsAt(outcome.points)].map((death) => ({ scenario, death }));
    return isShort ? random.shuffled(all).slice(0, SHORT) : all;
  });
  const only = new RegExp(process.env.LESSOR_TEST_ONLY ?? "");
  const played = await playAll(cases.filter((one) => only.test(titleOf(one))));
  const wrong = played.flatMap((one) => one.outcome.wrong.map((line) => `${titleOf(one)}: ${line}`));
  // How often something is looked at is a matter of time.
  const missed = played.filter(({ outcome }) => !outcome.died).map(titleOf);
  figure("requests to OpenStack at which a process died", {
    reached: played.length - missed.length,
    toReach: cases.length,
    of: `seed ${random.seed}`,
  });
  figure("lost, doubled, left over or wrongly billed after them", { reached: wrong.length, toReach: 0 });
  expect(wrong).toEqual([]);
  expect(missed.filter((title) => / (POST|PUT|DELETE) /.test(title) && title.includes("(1)"))).toEqual([]);
});

function killsAt(points: readonly Disturbance["point"][]): Disturbance[] {
  const counts = new Map<string, number>();
  return points.flatMap((point) => {
    const occurrence = (counts.get(point) ?? 0) + 1;
    counts.set(point, occurrence);
    if (occurrence > 3) return [];
    return (["killed before", "killed after", "twice"] as const).map((mode) => ({ point, occurrence, mode }));
  });
}

function titleOf({ scenario, death }: Case): string {
  if (death === undefined) return scenario;
  if ("request" in death) return `${scenario}: killed ${death.when} ${death.request}`;
  return `${scenario}: ${death.mode} ${death.point} (${death.occurrence})`;
}

/** Each on the next lane that is free. */
async function playAll(cases: readonly Case[]): Promise<(Case & { readonly outcome: Outcome })[]> {
  const queue = [...cases];
  const played: (Case & { readonly outcome: Outcome })[] = [];
  const work = async () => {
    const stage = new Stage(await makeWorld());
    let cloud: Awaited<ReturnType<typeof beginCloud>> | undefined;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (cloud === undefined) {
        await stage.world.empty();
        await stage.empty();
        cloud = await beginCloud();
        await furnish(stage, cloud);
      }
      const outcome = await new Life(stage, cloud, next.scenario, next.death).run();
      played.push({ ...next, outcome });
      // What is wrong once would be found again with every case that follows.
      if (outcome.wrong.length > 0) cloud = undefined;
    }
    await stage.world.close();
  };
  await Promise.all(Array.from({ length: Math.min(LANES, cases.length) }, work));
  return played;
}
