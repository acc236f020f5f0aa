// What operators are told of engines that fail and of work that does not get done, while the reconciler really runs.

import { describe, expect, it } from "vitest";
import { forgive, injectFaults } from "../../src/engines/simulated/database.ts";
import { engineHealths } from "../../src/rental/capacity/engine-health.ts";
import { listAll, readAny } from "../../src/rental/instances/instance-store.ts";
import { reconcileStatusOf } from "../../src/rental/instances/reconcile-status.ts";
import { stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();

const health = async () => (await engineHealths(stage.db, ["simulated"]))[0];
const troubled = async () => (await listAll(stage.db, { troubled: true })).map(({ id }) => id);

describe("the sweeps of an engine", () => {
  it("are told of, with the engine's own words while it fails, and without them when it is back", async () => {
    await stage.host();
    const silent = await injectFaults(stage.db, { kind: "unavailable", operation: "hosts" });
    stage.reconciler({ sweepSeconds: 0.05 });
    await expect.poll(async () => (await health())?.lastSweepError).toBe("The engine is unavailable.");
    await expect.poll(health).toMatchObject({ hosts: 1, hostsAvailable: 0, lastGoodSweepAt: null });
    await forgive(stage.db, silent);
    await expect.poll(async () => (await health())?.lastGoodSweepAt).toEqual(expect.any(Date));
    await expect.poll(health).toMatchObject({ hostsAvailable: 1, lastSweepError: null });
  });
});

describe("an instance whose machine cannot be made", () => {
  it("is in trouble, with the reason, while that is tried again, and not when it was made", async () => {
    await stage.host();
    const failing = await injectFaults(stage.db, { kind: "unavailable", operation: "create" });
    const reconciler = stage.reconciler({ retrySeconds: [0.01, 0.02], pollSeconds: 0.02 });
    const { id } = await stage.launchOne();
    await expect.poll(troubled).toEqual([id]);
    expect((await reconcileStatusOf(stage.db, id)).trouble).toMatchObject({ kind: "tried-again" });
    expect((await readAny(stage.db, id)).progress).toMatch(/^retrying: /);
    await forgive(stage.db, failing);
    await expect.poll(() => stage.state(id)).toBe("active");
    await reconciler.idle();
    expect(await troubled()).toEqual([]);
  });
});
