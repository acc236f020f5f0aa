// Every step of the reconciler, disturbed in every way, in every operation, under every failure of the engine; and after each
// case everything is audited. Which points a scenario passes is found by running it undisturbed first.
//
// LESSOR_TEST_SEED repeats the choice of a short run. LESSOR_TEST_ONLY plays the cases whose titles contain it.

import { afterAll, beforeAll, expect, it } from "vitest";
import { failpoints } from "../../src/reconciler/failpoints.ts";
import { faultKindNames } from "../../src/rules/simulator-faults.ts";
import { anySeed, seeded } from "../support/random.ts";
import { isShort } from "../support/short.ts";
import { figure } from "./figures.ts";
import { type Case, casesOf, modes, titleOf } from "./steps/cases.ts";
import { Lane, type Outcome } from "./steps/lane.ts";
import { operations, scenarios } from "./steps/scenarios.ts";

/** So many databases at once; more are not faster on two cores. */
const LANES = 8;

/** Some points are passed only where two things meet, such as a renewal and an answer. */
const leastHit = 0.9;

interface Played {
  readonly case: Case;
  readonly outcome: Outcome;
}

const played: Played[] = [];
const random = seeded(anySeed());
let lanes: Lane[] = [];

beforeAll(async () => {
  lanes = await Promise.all(Array.from({ length: LANES }, () => Lane.open()));
});
afterAll(() => Promise.all(lanes.map((lane) => lane[Symbol.asyncDispose]())));

it("every step of reconciler may fail, happen twice, or be the last thing a process does", async () => {
  const began = performance.now();
  const undisturbed = await playAll(scenarios.map((scenario) => ({ scenario, disturbance: undefined })));
  const all = undisturbed.flatMap((one) => casesOf(one.case.scenario, one.outcome.passed));
  // Those whose engine hangs are spread among the others.
  const disturbed = await playAll(isShort ? sample(all) : random.shuffled(all));
  // A point may be passed in one run and not in the next: another case of it is played then.
  for (let again = 0; again < 10 && uncovered(disturbed).length > 0; again++) {
    const lacking = new Set(uncovered(disturbed));
    const others = random.shuffled(all).filter((one) => lacking.delete(wayOf(one)));
    disturbed.push(...(await playAll(others)));
  }

  const missed = uncovered(disturbed);
  const pointsMissed = new Set(missed.map((way) => way.split(":")[0]));
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  figure("steps of the reconciler covered", {
    reached: failpoints.length - pointsMissed.size,
    toReach: failpoints.length,
    of: `each disturbed in ${modes.length} ways, ${operations.length} operations, ${faultKindNames.length} failure kinds`,
  });
  const hit = disturbed.filter(({ outcome }) => outcome.disturbed).length;
  const share = hit / disturbed.length;
  figure("cases", { reached: played.length, toReach: "all", of: `${minutes} minutes, seed ${random.seed}` });
  figure("of them disturbed where they should be", {
    reached: `${(share * 100).toFixed(1)} %`,
    toReach: `${leastHit * 100} %`,
    of: `${disturbed.length} cases`,
  });
  for (const what of ["lost", "doubled", "orphans", "wrong"] as const) {
    figure(what === "wrong" ? "wrong capacity, spans or events" : what, { reached: lines(what).length, toReach: 0 });
  }
  if (process.env.LESSOR_TEST_ONLY === undefined) expect(missed).toEqual([]);
  expect(share).toBeGreaterThanOrEqual(leastHit);
  for (const what of ["lost", "doubled", "orphans", "wrong"] as const) expect(lines(what).slice(0, 40)).toEqual([]);
});

/** Plays them, each on the next lane that is free. */
async function playAll(cases: readonly Case[]): Promise<Played[]> {
  const only = process.env.LESSOR_TEST_ONLY;
  const isAsked = (title: string) => only === undefined || title.includes(only) || only.startsWith(title);
  const queue = cases.filter((one) => isAsked(titleOf(one)));
  const results: Played[] = [];
  const work = async (lane: Lane) => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const outcome = await lane.play(next).catch((error: unknown) => broken(error));
      results.push({ case: next, outcome });
      played.push({ case: next, outcome });
    }
  };
  await Promise.all(lanes.map(work));
  return results;
}

/** A case that could not be played to its end is wrong, and does not keep the others from being played. */
function broken(error: unknown): Outcome {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { passed: [], disturbed: false, end: "-", lost: [], doubled: [], orphans: [], wrong: [words] };
}

/** Each point in each mode once. Each kind is in each operation already, undisturbed. */
function sample(cases: readonly Case[]): Case[] {
  return [...new Map(random.shuffled(cases).map((one) => [wayOf(one), one])).values()];
}

/** Which point is disturbed, and how. */
function wayOf({ disturbance }: Case): string {
  return `${disturbance?.point}: ${disturbance?.mode}`;
}

/** Of every point and mode, those that were not met. */
function uncovered(some: readonly Played[]): string[] {
  const met = new Set(some.filter(({ outcome }) => outcome.disturbed).map((one) => wayOf(one.case)));
  const all = failpoints.flatMap((point) => modes.map((mode) => `${point}: ${mode}`));
  return all.filter((way) => !met.has(way));
}

/** What was found, with the case it was found in. */
function lines(what: keyof Outcome): string[] {
  return played.flatMap((one) => {
    const found = one.outcome[what];
    return Array.isArray(found) ? found.map((line) => `${titleOf(one.case)}: ${line}`) : [];
  });
}
