// The points of the reconciler: what a worker does is seen at its gate, and what a gate prevents is done again. What becomes
// of a process that ends at one of them: test/crash/steps.test.ts.

import { describe, expect, it } from "vitest";
import {
  confirmationFailpoints,
  emailFailpoints,
  type Failpoint,
  type FailpointRunner,
  failpoints,
  partitionFailpoints,
  paymentFailpoints,
  validationFailpoints,
} from "../../src/reconciler/failpoints.ts";
import { startReconciler } from "../../src/reconciler/reconciler.ts";
import { steps } from "../../src/reconciler/step.ts";
import { quiet, stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();

/** Those that are passed are added to `passed`, without those that look for work again and again. */
function noting(passed: Failpoint[]): FailpointRunner {
  const ofOthers: readonly Failpoint[] = [
    ...[...validationFailpoints, ...partitionFailpoints, ...emailFailpoints, ...paymentFailpoints],
    ...confirmationFailpoints,
  ];
  return (point, pass) => {
    if (!ofOthers.includes(point)) passed.push(point);
    return pass();
  };
}

/** The reconciler behind this gate, at work until nothing is due. */
async function worked(gate: FailpointRunner): Promise<void> {
  const engine = stage.engine();
  const reconciler = startReconciler({
    db: stage.db,
    databaseUrl: stage.world.url,
    engines: new Map([[engine.name, engine]]),
    keyRing: stage.world.service.keyRing,
    settings: { ...quiet, retrySeconds: [0, 0] },
    log: stage.log,
    gate,
  });
  await reconciler.idle();
  await reconciler.stop();
}

describe("the points of reconciler", () => {
  it("are passed in the order of the work", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    const passed: Failpoint[] = [];
    await worked(noting(passed));
    expect(await stage.state(id)).toBe("active");
    const work = passed.filter((point) => point !== "claim" && point !== "wake");
    // Nothing was begun with it, so there is nothing to look at first.
    expect(work).toEqual(["prepare", "create", "start", "ready"]);
    expect(passed[0]).toBe("claim");
  });

  it("are few for what the engine hints at: it is claimed, and nothing is written for that before", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    const passed: Failpoint[] = [];
    // Long enough for a busy machine to come to wait for it.
    const engine = stage.engine({ boot: 1 });
    const reconciler = startReconciler({
      db: stage.db,
      databaseUrl: stage.world.url,
      engines: new Map([[engine.name, engine]]),
      keyRing: stage.world.service.keyRing,
      // Nothing but the hint is in time.
      settings: { ...quiet, lookSeconds: [60, 60], pollSeconds: 60 },
      log: stage.log,
      gate: noting(passed),
    });
    await expect.poll(() => stage.state(id)).toBe("active");
    await reconciler.stop();
    const work = passed.filter((point, n) => point !== "claim" || passed[n - 1] !== "claim");
    expect(work.slice(0, 7)).toEqual(["claim", "prepare", "create", "start", "wait", "claim", "inspect"]);
    expect(passed).not.toContain("wake");
  });

  it("hold no claim while nothing is due", async () => {
    await stage.host();
    let claims = 0;
    const reconciler = startReconciler({
      db: stage.db,
      databaseUrl: stage.world.url,
      engines: new Map([["simulated", stage.engine()]]),
      keyRing: stage.world.service.keyRing,
      settings: { ...quiet, pollSeconds: 0.01 },
      log: stage.log,
      gate: (point, pass) => {
        if (point === "claim") claims += 1;
        return pass();
      },
    });
    await reconciler.idle();
    await stage.listening();
    const before = claims;
    await new Promise((resolve) => setTimeout(resolve, 200));
    // At most the one after the last hint.
    expect(claims - before).toBeLessThanOrEqual(1);
    await reconciler.stop();
  });

  it("may fail once, and what they stand for is done all the same", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    const failed = new Set<Failpoint>();
    const once: Failpoint[] = ["claim", "prepare", "inspect", "create", "start"];
    await worked((point, pass) => {
      if (!once.includes(point) || failed.has(point)) return pass();
      failed.add(point);
      throw new Error("the test lets this fail");
    });
    expect([...failed]).toEqual(once);
    expect(await stage.state(id)).toBe("active");
  });

  it("are there for every action of the table of steps", () => {
    const actions = new Set<string>(Object.values(steps).flatMap((row) => Object.values(row)));
    // What is as it should be is laid down as settled.
    actions.delete("settle");
    expect([...actions].filter((action) => !failpoints.some((point) => point === action))).toEqual([]);
    expect(new Set(failpoints).size).toBe(failpoints.length);
  });
});
