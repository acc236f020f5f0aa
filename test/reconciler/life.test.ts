// The life of an instance with the reconciler at work: from the launch to the removal, as a customer sees it.

import { describe, expect, it } from "vitest";
import type { MachineReport, MachineSpec } from "../../src/engines/engine.ts";
import { forgive, haltFromInside, injectFaults, startFromOutside } from "../../src/engines/simulated/database.ts";
import { claim, requeue } from "../../src/reconciler/lease-store.ts";
import { withDefaults } from "../../src/reconciler/settings.ts";
import { auditCapacity } from "../support/audit.ts";
import { spansDisagree } from "../support/lifetimes.ts";
import { quiet, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";
import { only } from "../support/world.ts";

const stage = stageOfFile();

describe("a launch", () => {
  it("becomes active with an address, is billed from then on, and is told of", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    await stage.reconciler().idle();

    const row = await stage.row(id);
    expect(row).toMatchObject({ state: "active", progress: null, next_look_at: null, lease_owner: null, attempts: 0 });
    expect(row.ip).toMatch(/^(203\.0\.113|198\.51\.100)\./);
    expect(row.fulfilled_generation).toBe(row.generation);
    expect(await stage.span(id)).toMatchObject({
      started_at: row.active_at,
      ended_at: null,
      price_cents_per_hour: 100,
    });
    expect(await stage.story(id)).toEqual(["booting", "active"]);
    await auditCapacity(stage.db);
  });

  it("shows what it is waiting for while it boots, and is not billed", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    await stage.reconciler({}, stage.engine({ boot: 3600 })).idle();
    expect(await stage.row(id)).toMatchObject({ state: "booting", progress: "booting", active_at: null });
    expect(await stage.span(id)).toBeUndefined();
  });

  it("is told of once for each new progress of its boot, however often it is looked at, with what it waits for", async () => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const reconciler = stage.reconciler({ bootDeadlineSeconds: 86_400 }, stage.engine({ boot: 3600 }));
    for (let look = 0; look < 3; look++) {
      await reconciler.idle();
      await travel(stage.db, "1 minute");
    }
    expect(await stage.progress(id)).toEqual(["booting"]);
    const event = await stage.db.selectFrom("events").selectAll().where("type", "=", "instance.progress").execute();
    const { name, generation, region, instance_type } = await stage.row(id);
    const data = { instance_id: id, name, state: "booting", health: "ok", generation, region, instance_type, ip: null };
    expect(event).toMatchObject([
      { account_id: principal.accountId, subject_id: id, data: { ...data, progress: "booting" } },
    ]);

    await stage.world.change(principal, "stop", [id]);
    await reconciler.idle();
    await stage.world.change(principal, "restart", [id]);
    await reconciler.idle();
    expect(await stage.progress(id)).toEqual(["booting", "booting"]);
  });

  it("tells nothing of progress for a wish that is no longer the newest, nor by who lost the lease", async () => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const settings = withDefaults(quiet);
    const claimOne = async () => only(await claim(stage.db, ["simulated"], 1, settings));
    const late = await claimOne();
    await stage.world.change(principal, "stop", [id]);
    await requeue(stage.db, late, { as: "wait", progress: "booting" }, settings);
    const current = await claimOne();
    await requeue(
      stage.db,
      { ...current, lease_owner: crypto.randomUUID() },
      { as: "retry", progress: "no" },
      settings,
    );
    await requeue(stage.db, current, { as: "wait", progress: null }, settings);
    expect(await stage.progress(id)).toEqual([]);
  });

  it("becomes active when the boot is over, by whoever looks then", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    const reconciler = stage.reconciler({ bootDeadlineSeconds: 86_400 }, stage.engine({ boot: 3600 }));
    await reconciler.idle();
    await travel(stage.db, "3601 seconds");
    await reconciler.idle();
    expect(await stage.state(id)).toBe("active");
  });

  it("tells the engine everything of the guest, and the world keeps no secret", async () => {
    await stage.host();
    const principal = await stage.world.account();
    const { id } = await stage.launchOne({
      principal,
      envVars: { TOKEN: "a value that nobody may read" },
      passwordWithoutKeys: true,
      name: "training",
    });
    await stage.reconciler().idle();
    const machine = await stage.db
      .withSchema("simulated")
      .selectFrom("machines" as never)
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(machine).toMatchObject({ id, account_id: principal.accountId, env_names: ["TOKEN"], password_login: true });
    expect(JSON.stringify([machine, stage.logged])).not.toContain("nobody may read");
  });
});

describe("a guest that must be told its secrets once it runs", () => {
  /** An engine whose machines run at once, and are usable only after a start that they were told by. */
  function tellingEngine() {
    const engine = stage.engine();
    const started: MachineSpec[] = [];
    let told = false;
    const untold = (report: MachineReport): MachineReport =>
      report.power === "running" && !told ? { ...report, usable: false, untold: true } : report;
    const inspect = engine.inspect.bind(engine);
    const start = engine.start.bind(engine);
    engine.inspect = async (machine, signal) => {
      const report = await inspect(machine, signal);
      return report && untold(report);
    };
    engine.start = async (spec, signal) => {
      const before = await inspect(spec, signal);
      if (before?.power === "running") told = true;
      started.push(spec);
      return untold(await start(spec, signal));
    };
    return { engine, started };
  }

  it("is started a second time in the same turn, with all of its spec, and becomes active", async () => {
    await stage.host();
    const { id } = await stage.launchOne({ envVars: { TOKEN: "a secret" } });
    const { engine, started } = tellingEngine();
    await stage.reconciler({ lookSeconds: [1000, 1000] }, engine).idle();
    expect(await stage.state(id)).toBe("active");
    expect(started.map(({ id: machine, guest }) => [machine, guest.envVars])).toEqual([
      [id, { TOKEN: "a secret" }],
      [id, { TOKEN: "a secret" }],
    ]);
  });

  it("and whose engine never gets through is asked again after a pause, not in a circle", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    const engine = stage.engine();
    let starts = 0;
    engine.start = async (spec) => {
      starts += 1;
      const { id: machine, host } = spec;
      return { id: machine, host, power: "running", usable: false, untold: true, ip: undefined, progress: "waiting" };
    };
    await stage.reconciler({ lookSeconds: [1000, 1000] }, engine).idle();
    expect([starts, await stage.state(id)]).toEqual([2, "booting"]);
  });
});

describe("stop and restart", () => {
  it("halts the machine, keeps data, address and capacity, goes on billing, and starts again", async () => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const reconciler = stage.reconciler();
    await reconciler.idle();
    const { ip, active_at } = await stage.row(id);

    await stage.world.change(principal, "stop", [id]);
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({ state: "stopped", ip, next_look_at: null });
    expect(await stage.span(id)).toMatchObject({ ended_at: null });
    await auditCapacity(stage.db);

    await stage.world.change(principal, "restart", [id]);
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({ state: "active", ip, active_at, fulfilled_generation: 3 });
    expect(await stage.story(id)).toEqual(["booting", "active", "stopping", "stopped", "booting", "active"]);
    expect(await stage.span(id)).toMatchObject({ started_at: active_at, ended_at: null });
  });

  it("stops during the boot, and is billed from stopped on", async () => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const reconciler = stage.reconciler({}, stage.engine({ boot: 3600 }));
    await reconciler.idle();
    await stage.world.change(principal, "stop", [id]);
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({ state: "stopped", active_at: null });
    expect(await stage.span(id)).toMatchObject({ ended_at: null });
    expect(await spansDisagree(stage.db)).toEqual([]);
  });

  it("stopped before anything was made, has a machine to restart, that never ran", async () => {
    await stage.host();
    const { id, principal } = await stage.launchOne({ maxLifetimeSeconds: 3600 });
    await stage.world.change(principal, "stop", [id]);
    const reconciler = stage.reconciler();
    await reconciler.idle();
    expect(await stage.state(id)).toBe("stopped");
    expect(await stage.machines()).toEqual([id]);
    await stage.world.change(principal, "restart", [id]);
    await reconciler.idle();
    expect(await stage.state(id)).toBe("active");
    expect(await stage.story(id)).toEqual(["booting", "stopping", "stopped", "booting", "active"]);
    expect(await spansDisagree(stage.db)).toEqual([]);
  });

  it("halts a stopped machine again that someone started at the engine", async () => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const engine = stage.engine();
    const reconciler = stage.reconciler({}, engine);
    await reconciler.idle();
    await stage.world.change(principal, "stop", [id]);
    await reconciler.idle();
    await startFromOutside(stage.db, id);
    await reconciler.sweepNow();
    await reconciler.idle();
    expect(await stage.state(id)).toBe("stopped");
    expect(await engine.inspect(await stage.row(id), AbortSignal.timeout(1000))).toMatchObject({ power: "halted" });
  });
});

describe("a termination", () => {
  it("removes the machine and gives everything back", async () => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const reconciler = stage.reconciler();
    await reconciler.idle();
    await stage.world.change(principal, "terminate", [id]);
    const requested = await stage.span(id);
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({ state: "terminated", next_look_at: null });
    expect(await stage.machines()).toEqual([]);
    expect(await stage.story(id)).toEqual(["booting", "active", "terminating", "terminated"]);
    // Billing ended at the request, whenever the engine was done.
    expect(await stage.span(id)).toEqual(requested);
    expect(requested?.ended_at).not.toBeNull();
    await auditCapacity(stage.db);
  });

  it.each([0, 3600])("during the boot (of %d s) removes it unbilled", async (boot) => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const reconciler = stage.reconciler({}, stage.engine({ boot }));
    if (boot > 0) await reconciler.idle();
    await stage.world.change(principal, "terminate", [id]);
    await reconciler.idle();
    expect(await stage.state(id)).toBe("terminated");
    expect(await stage.machines()).toEqual([]);
    if (boot > 0) expect(await stage.span(id)).toBeUndefined();
    await auditCapacity(stage.db);
  });

  it("holds the capacity until the engine confirms the removal", async () => {
    const host = await stage.host();
    const { id, principal } = await stage.launchOne();
    const reconciler = stage.reconciler();
    await reconciler.idle();
    await injectFaults(stage.db, { kind: "unavailable", operation: "remove" });
    await stage.world.change(principal, "terminate", [id]);
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({ state: "terminating", attempts: 1 });
    const free = () => stage.db.selectFrom("hosts").select("free_vcpus").where("name", "=", host).executeTakeFirst();
    expect(await free()).toEqual({ free_vcpus: 56 });

    await forgive(stage.db);
    await travel(stage.db, "1 minute");
    await reconciler.idle();
    expect(await stage.state(id)).toBe("terminated");
    expect(await free()).toEqual({ free_vcpus: 64 });
    await auditCapacity(stage.db);
  });
});

describe("a machine stopped from inside", () => {
  it("is shown stopped, keeps its address, goes on being billed, and can be restarted", async () => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const reconciler = stage.reconciler();
    await reconciler.idle();
    const { ip } = await stage.row(id);
    await haltFromInside(stage.db, id);
    await reconciler.sweepNow();
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({ state: "stopped", ip });
    expect(await stage.span(id)).toMatchObject({ ended_at: null });
    await stage.world.change(principal, "restart", [id]);
    await reconciler.idle();
    expect(await stage.state(id)).toBe("active");
  });

  it("is noticed without a sweep when the engine hints at it", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    const engine = stage.engine();
    const reconciler = stage.reconciler({}, engine);
    await reconciler.idle();
    await haltFromInside(stage.db, id);
    await engine.changed(await stage.row(id));
    await reconciler.idle();
    expect(await stage.state(id)).toBe("stopped");
  });
});
