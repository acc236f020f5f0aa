// The whole service against a small model (model/): random sequences of commands over M, D and R at once, several at the
// same time, with jumps of the clock and crashes in between. Each answer has to be one that the model gives in some order
// of what happened together; at the end of each sequence everything readable has to be as in the model.
//
// LESSOR_TEST_SEED repeats a run. LESSOR_TEST_RUNS says how many sequences.

import { afterAll, beforeAll, expect, it } from "vitest";
import { fc } from "../support/properties.ts";
import { anySeed } from "../support/random.ts";
import { extent } from "../support/short.ts";
import { figure } from "./figures.ts";
import { type Script, script } from "./model/commands.ts";
import { linesOf } from "./model/lines.ts";
import { type Counts, Difference, play } from "./model/play.ts";
import { openStand, type Stand } from "./model/stand.ts";

/** So many stands at once; more are not faster on two cores. */
const STANDS = 3;

const { LESSOR_TEST_RUNS: runsAsked } = process.env;
const seed = anySeed();
const runs = runsAsked === undefined ? extent(3000, 25) : Number(runsAsked);

/** All sequences together; 3,000 take an hour on a busy machine. */
const longest = 4 * 3_600_000;

/** Each attempt to shorten a counter-example takes as long as a run; after so many it is short enough. */
const mostShortenings = 80;

const counts: Counts = {
  commands: 0,
  groups: 0,
  crashes: 0,
  jumps: 0,
  hostsLost: 0,
  maintenances: 0,
  moves: 0,
  lost: 0,
  replays: 0,
  kinds: new Set(),
  mostWorlds: 0,
};
let stands: Stand[] = [];

beforeAll(async () => {
  stands = await Promise.all(Array.from({ length: STANDS }, openStand));
});
afterAll(() => Promise.all(stands.map((stand) => stand.close())));

it(
  "every answer, whatever happens at the same time, is one that the model gives",
  async () => {
    const began = performance.now();
    const results = await Promise.all(stands.map((stand, index) => playMany(stand, seed + index)));
    const seconds = (performance.now() - began) / 1000;
    const differences = results.flatMap(({ difference }) => difference ?? []);
    const done = results.reduce((sum, one) => sum + one.sequences, 0);
    figure("sequences", { reached: done, toReach: runs, of: `${seconds.toFixed(0)} seconds, seed ${seed}` });
    figure("commands", {
      reached: counts.commands,
      toReach: counts.commands,
      of: `${counts.groups} groups asked at the same time, ${counts.replays} answers replayed, ${counts.lost} lost`,
    });
    figure("crashes", {
      reached: counts.crashes,
      toReach: counts.crashes,
      of: `${counts.jumps} jumps of the clock, ${counts.hostsLost} hosts declared lost, ${counts.maintenances} maintained, ${counts.moves} moves`,
    });
    const { size: kinds } = counts.kinds;
    figure("kinds of answers", { reached: kinds, toReach: kinds, of: "by operation, interface, status and code" });
    figure("worlds possible at once", { reached: counts.mostWorlds, toReach: "few" });
    figure("differences", { reached: differences.length, toReach: 0 });
    expect(differences.join("\n\n")).toBe("");
  },
  longest,
);

/** Plays this stand's share of the sequences, or until one differs; that one is shortened. */
async function playMany(stand: Stand, seedOfStand: number): Promise<{ sequences: number; difference?: string }> {
  let shortest: { script: Script; words: string } | undefined;
  let sequences = 0;
  let shortenings = 0;
  const property = fc.asyncProperty(script, async (one) => {
    if (shortest === undefined) sequences++;
    else if (++shortenings > mostShortenings) return;
    try {
      await play(stand, one, counts);
    } catch (error) {
      shortest = { script: one, words: wordsOf(error) };
      // Whatever it left behind must not disturb the next.
      await stand.restart();
      throw error;
    }
  });
  const numRuns = Math.ceil(runs / STANDS);
  await fc.check(property, { seed: seedOfStand, numRuns });
  if (shortest === undefined) return { sequences };
  const lines = [
    `LESSOR_TEST_SEED=${seed} (stand ${seedOfStand - seed}):`,
    ...linesOf(shortest.script),
    shortest.words,
  ];
  return { sequences, difference: lines.join("\n") };
}

/** Also of what broke otherwise. */
function wordsOf(error: unknown): string {
  if (error instanceof Difference) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
