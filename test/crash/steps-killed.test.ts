// kill -9 of the real program right before and right after each step of the reconciler: another one takes over, and then
// everything is audited. steps.test.ts does the same inside one process, thousands of times; this shows that it may.
// LESSOR_TEST_ONLY names one point.

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { sql } from "kysely";
import { expect, it } from "vitest";
import type { FaultToInject } from "../../src/engines/simulated/database.ts";
import { forgive, injectFaults, loseMachine } from "../../src/engines/simulated/database.ts";
import { failpoints, type ReconcileFailpoint } from "../../src/reconciler/failpoints.ts";
import { beginMove } from "../../src/rental/moving/begin-move.ts";
import type { InstanceAction, State } from "../../src/rules/lifecycle.ts";
import { auditEverything } from "../support/audit.ts";
import { type Lessor, spawnEntry } from "../support/lessor.ts";
import { anySeed, seeded } from "../support/random.ts";
import { isShort } from "../support/short.ts";
import { type Launched, Stage } from "../support/stage.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { makeWorld } from "../support/world.ts";
import { figure } from "./figures.ts";
import { changeRules, missingRules } from "./steps/lane.ts";

/** So many programs and databases at once. */
const LANES = 3;

/** So many kills in a short run. */
const SHORT = 3;

const whens = ["before", "after"] as const;

/** How a program is brought to a point. */
interface Way {
  /** Undefined: it is launched while the program runs. */
  readonly from?: "active" | "stopped";
  readonly trouble?: FaultToInject;
  /** What happens once the program runs; undefined: nothing. */
  readonly does?: InstanceAction | "look" | "lose" | "rules" | "move" | "move and restart";
  /** The engine is asked, and the wish comes while it keeps silent. */
  readonly whileHanging?: true;
  readonly ends: State;
}

const hanging: FaultToInject = { kind: "hangs", operation: "create", times: 1 };

/** Each point has its way, so a new one without does not compile. */
const ways: Record<ReconcileFailpoint, Way> = {
  claim: { ends: "active" },
  renew: { trouble: hanging, ends: "active" },
  // It is hinted at while its turn is still under way.
  wake: {
    trouble: { kind: "answers-late", operation: "start", times: 1, parameters: { seconds: 0.5 } },
    ends: "active",
  },
  prepare: { ends: "active" },
  inspect: { ends: "active" },
  create: { ends: "active" },
  start: { ends: "active" },
  tell: { trouble: { kind: "forgets-secrets", operation: "start", times: 1 }, ends: "active" },
  filter: { from: "active", does: "rules", ends: "active" },
  filtered: { from: "active", does: "rules", ends: "active" },
  stop: { from: "active", does: "stop", ends: "stopped" },
  remove: { from: "active", does: "terminate", ends: "terminated" },
  move: { from: "stopped", does: "move", ends: "stopped" },
  moved: { from: "stopped", does: "move", ends: "stopped" },
  removeCopy: { from: "stopped", does: "move and restart", ends: "active" },
  ready: { from: "stopped", does: "restart", ends: "active" },
  down: { from: "active", does: "reboot", ends: "active" },
  halted: { from: "active", does: "stop", ends: "stopped" },
  launchFailed: { trouble: { kind: "refuses", operation: "inspect", times: 9 }, ends: "terminated" },
  startFailed: {
    from: "stopped",
    trouble: { kind: "refuses", operation: "start", times: 9 },
    does: "restart",
    ends: "stopped",
  },
  vanished: { from: "active", does: "lose", ends: "terminated" },
  removed: { from: "stopped", does: "terminate", ends: "terminated" },
  settled: { from: "active", does: "look", ends: "active" },
  wait: { ends: "active" },
  retry: { trouble: { kind: "unavailable", operation: "create", times: 1 }, ends: "active" },
  now: { trouble: hanging, does: "terminate", whileHanging: true, ends: "terminated" },
};

const entry = resolve(import.meta.dirname, "steps/program.ts");

it("a program killed at any step leaves nothing behind that another does not put right", async () => {
  const random = seeded(anySeed());
  const all = failpoints.flatMap((point) => whens.map((when) => ({ point, when })));
  const only = process.env.LESSOR_TEST_ONLY;
  // In small: some points, chosen anew in each run.
  const some = Array.from({ length: SHORT }, () => random.one(all));
  const kills = (isShort ? some : all).filter(({ point }) => only === undefined || point === only);
  const found: string[] = [];
  const queue = [...kills];
  const settings = join(await temporaryDirectory(), "lessor.yaml");
  // JSON is YAML.
  const file = {
    simulated: { boot_seconds: [0.1, 0.1], stop_seconds: [0.1, 0.1], copy_seconds: [0.2, 0.2] },
    reconciler: { lease_seconds: 1 },
  };
  await writeFile(settings, JSON.stringify(file));
  const work = async () => {
    const stage = new Stage(await makeWorld());
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const title = `${next.point} ${next.when}`;
      const wrong = await killedAt(stage, title, ways[next.point], settings);
      found.push(...wrong.map((line) => `${title}: ${line}`));
    }
    await stage.world.close();
  };
  await Promise.all(Array.from({ length: LANES }, work));
  figure("steps at which the program was killed", {
    reached: new Set(kills.map(({ point }) => point)).size,
    toReach: isShort ? "some" : failpoints.length,
    of: `${kills.length} kills, seed ${random.seed}`,
  });
  figure("lost, doubled, orphans, or wrong books after them", { reached: found.length, toReach: 0 });
  expect(found).toEqual([]);
});

/** One program is brought to the point and dies there, another one takes over. What is wrong then. */
async function killedAt(stage: Stage, killAt: string, way: Way, settings: string): Promise<string[]> {
  await stage.world.empty();
  await stage.empty();
  const host = await stage.host({ gpus: 1 });
  const program = async (env: NodeJS.ProcessEnv) =>
    spawnEntry(entry, await temporaryDirectory(), {
      DATABASE_URL: stage.world.url,
      LESSOR_ENCRYPTION_KEY: "07".repeat(32), // as the world's
      LESSOR_CONFIG: settings,
      LESSOR_DEMO: "0",
      LESSOR_LOG_LEVEL: "warn",
      ...env,
    });

  const instance = await stage.launchOne();
  if (way.from !== undefined) await bring(stage, instance, way.from);
  if (way.trouble !== undefined) await injectFaults(stage.db, { ...way.trouble, host });
  if (way.from !== undefined || way.whileHanging === undefined) await happens(stage, instance, way.does);

  const mortal = await program({ LESSOR_TEST_KILL_AT: killAt });
  const died = once(mortal.process, "exit");
  if (way.whileHanging === true) {
    await until(mortal, async () => (await stage.row(instance.id)).lease_owner !== null);
    await happens(stage, instance, way.does);
  }
  const [, signal] = await died;
  if (signal !== "SIGKILL") return [`it ended by itself, with ${signal}:\n${mortal.output()}`];

  // Where it died before the call, another would wait for the whole deadline of one.
  if (way.trouble === hanging) await forgive(stage.db);
  const heir = await program({});
  const atRest = async () => {
    const row = await stage.row(instance.id);
    return row.next_look_at === null && row.state === way.ends;
  };
  const came = await until(heir, atRest);
  await heir.end("SIGTERM");
  const row = await stage.row(instance.id);
  const { lost, orphans, capacity, spans, events } = await auditEverything(stage.db);
  return [
    ...(came
      ? []
      : [`it is ${row.state} (${row.failure_code}, ${row.progress}), and not ${way.ends}\n${heir.output()}`]),
    ...[lost, orphans, capacity, spans, events].flat(),
    ...(way.does === "rules" ? await missingRules(stage, instance.id) : []),
  ];
}

/** The reconciler in this process brings it there. */
async function bring(stage: Stage, { id, principal }: Launched, state: "active" | "stopped"): Promise<void> {
  const reconciler = stage.reconciler();
  await reconciler.idle();
  if (state === "stopped") await stage.world.change(principal, "stop", [id]);
  await reconciler.idle();
  await stage.clear();
}

async function happens(stage: Stage, { id, principal }: Launched, what: Way["does"]): Promise<void> {
  if (what === undefined) return;
  if (what === "rules") return changeRules(stage, { principal });
  if (what === "move" || what === "move and restart") {
    await stage.host({ gpus: 1 });
    await stage.world.service.capacity.refresh();
    const order = { host: undefined, reason: undefined, by: null };
    await stage.world.tx((tx) => beginMove(tx, stage.world.service, id, order));
    if (what === "move and restart") await stage.world.change(principal, "restart", [id]);
    return;
  }
  if (what !== "look" && what !== "lose") return void (await stage.world.change(principal, what, [id]));
  if (what === "lose") await loseMachine(stage.db, id);
  await sql`update instances set next_look_at = now() where id = ${id}`.execute(stage.db);
}

/** Looks again and again, for as long as the program runs and two minutes at most: the real clock is the point here. */
async function until(program: Lessor, look: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + 120_000;
  while (performance.now() < end && program.process.exitCode === null && program.process.signalCode === null) {
    if (await look()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}
