// A program that is killed with kill -9 at each of several steps, and another that takes over from it. Used by the tests of
// what runs beside reconciliations: waiting-launches-killed.test.ts and evictions-killed.test.ts.

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Failpoint } from "../../src/reconciler/failpoints.ts";
import { type Lessor, spawnEntry } from "../support/lessor.ts";
import { anySeed, seeded } from "../support/random.ts";
import { isShort } from "../support/short.ts";
import { Stage } from "../support/stage.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { makeWorld } from "../support/world.ts";
import { figure } from "./figures.ts";

/** So many programs and databases at once. */
const LANES = 2;

/** So many kills in a short run. */
const SHORT = 2;

const entry = resolve(import.meta.dirname, "steps/program.ts");

/** `killedAt` on an empty stage, right before and right after each point. Gives what is wrong, and prints how many there were. */
export async function killedAtEach(
  of: string,
  points: readonly Failpoint[],
  killedAt: (stage: Stage, at: string) => Promise<string[]>,
): Promise<string[]> {
  const random = seeded(anySeed());
  const all = points.flatMap((point) => ["before", "after"].map((when) => `${point} ${when}`));
  const only = process.env.LESSOR_TEST_ONLY;
  const kills = (isShort ? random.shuffled(all).slice(0, SHORT) : all).filter(
    (at) => only === undefined || at.startsWith(only),
  );
  const found: string[] = [];
  const queue = [...kills];
  const work = async () => {
    const stage = new Stage(await makeWorld());
    for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
      await stage.world.empty();
      await stage.empty();
      found.push(...(await killedAt(stage, at)).map((line) => `${at}: ${line}`));
    }
    await stage.world.close();
  };
  await Promise.all(Array.from({ length: LANES }, work));
  figure(`steps of ${of} at which the program was killed`, {
    reached: new Set(kills.map((at) => at.split(" ")[0])).size,
    toReach: isShort ? "some" : points.length,
    of: `${kills.length} kills, seed ${random.seed}`,
  });
  return found;
}

/**
 * A program dies there, and the next one runs until everything is at rest; then it is ended. Gives what is wrong: that the
 * first one did not die, or, with `now`, what the other came to. `settings`: lessor.yaml of both.
 */
export async function killedAndReplaced(
  { world }: Stage,
  killAt: string,
  isAtRest: () => Promise<boolean>,
  now: () => Promise<unknown>,
  settings = "",
): Promise<string[]> {
  const program = async (env: NodeJS.ProcessEnv) => {
    const directory = await temporaryDirectory();
    const file = join(directory, "lessor.yaml");
    await writeFile(file, settings);
    return spawnEntry(entry, directory, {
      DATABASE_URL: world.url,
      LESSOR_ENCRYPTION_KEY: "07".repeat(32), // as the world's
      ...(settings === "" ? {} : { LESSOR_CONFIG: file }),
      LESSOR_DEMO: "0",
      LESSOR_LOG_LEVEL: "warn",
      ...env,
    });
  };
  const mortal = await program({ LESSOR_TEST_KILL_AT: killAt });
  const [, signal] = await once(mortal.process, "exit");
  if (signal !== "SIGKILL") return [`it ended by itself, with ${signal}:\n${mortal.output()}`];
  const heir = await program({});
  const came = await until(heir, isAtRest);
  await heir.end("SIGTERM");
  return came ? [] : [`it came to ${JSON.stringify(await now())}\n${heir.output()}`];
}

/** Looks again and again, for as long as the program runs and a minute at most: the real clock is the point here. */
async function until(program: Lessor, look: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + 60_000;
  while (performance.now() < end && program.process.exitCode === null && program.process.signalCode === null) {
    if (await look()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
