// Idle rules: when the GPUs of an instance count as not used, what happens then, and what an agent that lies or is silent
// can reach.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { applyIdleRules } from "../../src/rental/idle/end-idle.ts";
import { isUsed } from "../../src/rental/idle/watch-use.ts";
import { changeIdleRule } from "../../src/rental/instances/change-idle-rule.ts";
import { gpuMetricNames } from "../../src/rules/guest-metrics.ts";
import type { IdleRule } from "../../src/rules/idle.ts";
import { sending } from "../support/guest-lines.ts";
import { refusal } from "../support/refusals.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();
/** What every guest says of its GPUs, in percent; undefined: nothing. */
let use: readonly (number | null)[] | undefined;

beforeEach(async () => {
  await stage.host();
  await stage.product();
  await stage.world.image({ metrics: true });
  use = [0];
});

function reconciler(): Reconciler {
  const line = () => {
    const gpus = use?.map((percent) => (percent === null ? {} : { gpu_utilization: percent }));
    return gpus === undefined ? undefined : Buffer.from(JSON.stringify({ v: 1, cpu_utilization: 1, gpus }));
  };
  return stage.reconciler({}, sending(stage.engine(), line));
}

async function active(running: Reconciler, rule: IdleRule | null): Promise<Launched> {
  const launched = await stage.launchOne();
  await running.idle();
  if (rule !== null) await change(launched, rule);
  return launched;
}

const change = ({ id, principal }: Launched, rule: IdleRule | null) =>
  stage.world.tx((tx) => changeIdleRule(tx, stage.world.service, principal, id, rule));

/** Minutes pass with samples, each minute one; then the rules are applied. */
async function pass(running: Reconciler, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await running.readGuestsNow();
    await running.idle();
    await travel(stage.db, "61 seconds");
  }
  await running.readGuestsNow();
  await applyIdleRules(stage.db);
  await running.idle();
}

async function told(id: string): Promise<number> {
  const { rows } = await sql`select from events where type = 'instance.idle' and subject_id = ${id}`.execute(stage.db);
  return rows.length;
}

describe("an instance whose GPUs are not used", () => {
  it("is told of once, and again after they were used", async () => {
    const running = reconciler();
    const one = await active(running, { minutes: 5, action: "notify" });
    await pass(running, 4);
    expect(await told(one.id)).toBe(0);
    await pass(running, 4);
    expect([await told(one.id), await stage.state(one.id)]).toEqual([1, "active"]);
    await pass(running, 6);
    expect(await told(one.id)).toBe(1);
    use = [40];
    await pass(running, 1);
    use = [0];
    await pass(running, 6);
    expect(await told(one.id)).toBe(2);
  });

  it.each([
    ["stop", "stopped", null],
    ["terminate", "terminated", "idle"],
  ] as const)("is ended where its rule says %s", async (action, state, endedBy) => {
    const running = reconciler();
    const one = await active(running, { minutes: 5, action });
    await pass(running, 6);
    expect([await told(one.id), await stage.state(one.id)]).toEqual([1, state]);
    expect((await stage.row(one.id)).ended_by).toBe(endedBy);
  });

  it("has its whole time again after a restart", async () => {
    const running = reconciler();
    const one = await active(running, { minutes: 5, action: "stop" });
    await pass(running, 6);
    await stage.world.change(one.principal, "restart", [one.id]);
    await running.idle();
    await pass(running, 3);
    expect(await stage.state(one.id)).toBe("active");
    await pass(running, 4);
    expect([await told(one.id), await stage.state(one.id)]).toEqual([2, "stopped"]);
  });

  it("goes on without a rule, and when the rule is removed", async () => {
    const running = reconciler();
    const one = await active(running, null);
    const other = await active(running, { minutes: 5, action: "terminate" });
    await pass(running, 3);
    await change(other, null);
    await pass(running, 6);
    expect([await stage.state(one.id), await stage.state(other.id)]).toEqual(["active", "active"]);
  });
});

describe("an agent", () => {
  it("that is silent, or does not tell of every GPU, ends nothing", async () => {
    const running = reconciler();
    const one = await active(running, { minutes: 5, action: "terminate" });
    await pass(running, 3);
    use = undefined;
    await pass(running, 6);
    use = [null];
    await pass(running, 6);
    use = [];
    await pass(running, 6);
    expect([await told(one.id), await stage.state(one.id)]).toEqual([0, "active"]);
  });

  it("that was silent for a while begins the time anew", async () => {
    const running = reconciler();
    const one = await active(running, { minutes: 5, action: "stop" });
    await pass(running, 3);
    await travel(stage.db, "10 minutes");
    await pass(running, 3);
    expect(await stage.state(one.id)).toBe("active");
    await pass(running, 3);
    expect(await stage.state(one.id)).toBe("stopped");
  });
});

it("of several GPUs one that is used is enough, and all have to be told of to be not used", () => {
  const point = (...percents: (number | null)[]) => ({
    samples: 1,
    instance: [],
    gpus: percents.map((percent) => gpuMetricNames.map((name) => (name === "gpu_utilization" ? percent : null))),
  });
  expect(isUsed(point(0, 1), 2)).toBe(true);
  expect(isUsed(point(0, 0.9), 2)).toBe(false);
  expect(isUsed(point(null, 30), 2)).toBe(true);
  expect(isUsed(point(0, null), 2)).toBeUndefined();
  expect(isUsed(point(0), 2)).toBeUndefined();
  expect(isUsed(point(), 0)).toBeUndefined();
});

it("a rule is rejected where nothing reports the use of GPUs, and after the end", async () => {
  const running = reconciler();
  const one = await active(running, null);
  await stage.world.change(one.principal, "terminate", [one.id]);
  await running.idle();
  await refusal("conflict", change(one, { minutes: 5, action: "notify" }));
  await stage.world.image({ metrics: false });
  const other = await active(running, null);
  const { fields } = await refusal("invalid-parameters", change(other, { minutes: 5, action: "notify" }));
  expect(fields.idle_rule?.message).toContain("no agent");
});
