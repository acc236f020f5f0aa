// What goes wrong at the engine, and what becomes of the rental: boots that fail, machines that vanish, hosts that die,
// machines that nobody ordered.

import { describe, expect, it } from "vitest";
import { inTransaction } from "../../src/database/transaction.ts";
import type { FaultToInject } from "../../src/engines/simulated/database.ts";
import {
  forgive,
  injectFaults,
  killHost,
  loseMachine,
  rebootFromInside,
  reviveHost,
} from "../../src/engines/simulated/database.ts";
import { auditCapacity } from "../support/audit.ts";
import { stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();

describe("a first boot that the engine refuses for good", () => {
  it.each(["create", "start"] as const)(
    "at %s: ends terminated, unbilled, with the reason and nothing held",
    async (operation) => {
      await stage.host();
      const parameters = { code: "image-missing", message: "There is no such image." };
      await injectFaults(stage.db, { kind: "refuses", operation, parameters });
      const { id } = await stage.launchOne();
      await stage.reconciler().idle();
      expect(await stage.row(id)).toMatchObject({
        state: "terminated",
        failure_code: "image-missing",
        failure_message: "There is no such image.",
        active_at: null,
      });
      expect(await stage.story(id)).toEqual(["booting", "failed", "terminating", "terminated"]);
      expect(await stage.span(id)).toBeUndefined();
      expect(await stage.machines()).toEqual([]);
      await auditCapacity(stage.db);
    },
  );

  it("while it is being stopped: likewise", async () => {
    await stage.host();
    await injectFaults(stage.db, { kind: "refuses", operation: "create" });
    const { id, principal } = await stage.launchOne();
    await stage.world.change(principal, "stop", [id]);
    await stage.reconciler().idle();
    expect(await stage.row(id)).toMatchObject({ state: "terminated", failure_code: "simulated-refusal" });
  });
});

describe("a boot that is not over at the deadline", () => {
  it("of a new instance: ends terminated, unbilled, with the capacity back", async () => {
    await stage.host();
    await injectFaults(stage.db, { kind: "never-boots" });
    const { id } = await stage.launchOne();
    const reconciler = stage.reconciler({ bootDeadlineSeconds: 600 });
    await reconciler.idle();
    expect(await stage.state(id)).toBe("booting");
    await travel(stage.db, "601 seconds");
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({
      state: "terminated",
      failure_code: "boot-timeout",
      failure_message: "The instance was not ready within 600 seconds. Last progress: booting.",
    });
    expect(await stage.span(id)).toBeUndefined();
    await auditCapacity(stage.db);
  });

  it("of an instance that was active: stops it with the reason, halts the machine, and keeps the data", async () => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const engine = stage.engine();
    const reconciler = stage.reconciler({}, engine);
    await reconciler.idle();
    await stage.world.change(principal, "stop", [id]);
    await reconciler.idle();
    await injectFaults(stage.db, { kind: "never-boots" });
    await stage.world.change(principal, "restart", [id]);
    await reconciler.idle();
    await travel(stage.db, "601 seconds");
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({ state: "stopped", failure_code: "boot-timeout", next_look_at: null });
    expect(await engine.inspect(await stage.row(id), AbortSignal.timeout(1000))).toMatchObject({ power: "halted" });
    expect((await stage.story(id)).slice(-3)).toEqual(["booting", "failed", "stopped"]);

    // The next wish is a new try, and the old reason is gone.
    await forgive(stage.db);
    await stage.world.change(principal, "restart", [id]);
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({ state: "active", failure_code: null });
    await auditCapacity(stage.db);
  });
});

describe("an engine that has faults for a while", () => {
  const troubles: readonly FaultToInject[] = (["create", "start", "inspect"] as const).flatMap((operation) => [
    { kind: "unavailable", operation, times: 2 },
    { kind: "loses-answer", operation, times: 2 },
    { kind: "hangs", operation, times: 1 },
    { kind: "answers-late", operation, times: 1, parameters: { seconds: 0.02 } },
  ]);
  it.each(troubles)("$kind at $operation: the instance becomes active all the same, once", async (trouble) => {
    await stage.host();
    await injectFaults(stage.db, trouble);
    const { id } = await stage.launchOne();
    // Of the calls only one that hangs ends by it, also on a busy machine: what was called and not waited for would go on.
    const reconciler = stage.reconciler({ engineCallSeconds: 1, retrySeconds: [0.001, 0.002] });
    await expect.poll(() => stage.state(id), { interval: 10 }).toBe("active");
    await reconciler.idle();
    expect(await stage.story(id)).toEqual(["booting", "active"]);
    expect(await stage.machines()).toEqual([id]);
    await auditCapacity(stage.db);
  });

  it.each(["stop", "remove"] as const)("loses the answer of %s: it is done once more, and right", async (operation) => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const reconciler = stage.reconciler({ retrySeconds: [0.001, 0.002] });
    await reconciler.idle();
    await injectFaults(stage.db, { kind: "loses-answer", operation, times: 1 });
    const [wish, end] = operation === "stop" ? (["stop", "stopped"] as const) : (["terminate", "terminated"] as const);
    await stage.world.change(principal, wish, [id]);
    reconciler.poke();
    await expect.poll(() => stage.state(id), { interval: 10 }).toBe(end);
    await auditCapacity(stage.db);
  });

  it("is logged and shown, and asked later each time", async () => {
    await stage.host();
    await injectFaults(stage.db, {
      kind: "unavailable",
      operation: "create",
      parameters: { message: "The disk is full." },
    });
    const { id } = await stage.launchOne();
    await stage.reconciler({ retrySeconds: [1000, 100_000] }).idle();
    const row = await stage.row(id);
    expect(row).toMatchObject({ state: "booting", attempts: 1, progress: "retrying: The disk is full." });
    expect(stage.logged).toContainEqual(
      expect.objectContaining({
        level: "warn",
        message: "reconciliation failed; will retry",
        instance: id,
        error: "The disk is full.",
      }),
    );
    const inSeconds = ((row.next_look_at?.getTime() ?? 0) - row.wished_at.getTime()) / 1000;
    expect(inSeconds).toBeGreaterThan(499);
    expect(inSeconds).toBeLessThan(1010);
  });

  it("says a machine runs that does not: the sweep finds out, and it is shown stopped", async () => {
    await stage.host();
    await injectFaults(stage.db, { kind: "lies", operation: "start", times: 1 });
    const { id } = await stage.launchOne();
    const reconciler = stage.reconciler();
    await reconciler.idle();
    await reconciler.sweepNow();
    await reconciler.idle();
    // Whether this sweep found it or the one of the start.
    expect(await stage.story(id)).toEqual(["booting", "active", "stopped"]);
  });
});

describe("a machine that vanished", () => {
  it.each(["active", "stopped"])(
    "from an %s instance: ends the rental and its billing, and frees the capacity",
    async (state) => {
      await stage.host();
      const { id, principal } = await stage.launchOne();
      const reconciler = stage.reconciler();
      await reconciler.idle();
      if (state === "stopped") await stage.world.change(principal, "stop", [id]);
      await reconciler.idle();
      await loseMachine(stage.db, id);
      await reconciler.sweepNow();
      await reconciler.idle();
      const row = await stage.row(id);
      expect(row).toMatchObject({ state: "terminated", failure_code: "machine-lost" });
      // Its account reads the message, and no host.
      expect(row.failure_message).not.toContain(row.host);
      expect((await stage.span(id))?.ended_at).not.toBeNull();
      expect((await stage.story(id)).slice(-3)).toEqual(["failed", "terminating", "terminated"]);
      await auditCapacity(stage.db);
    },
  );

  it("is looked for once more before that is believed", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    const reconciler = stage.reconciler({ vanishSeconds: 3600 });
    await reconciler.idle();
    await loseMachine(stage.db, id);
    await reconciler.sweepNow();
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({ state: "active", next_look_at: expect.any(Date) });
  });

  it("before it was ever active is made again", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    const reconciler = stage.reconciler({}, stage.engine({ boot: 3600 }));
    await reconciler.idle();
    await loseMachine(stage.db, id);
    await travel(stage.db, "1 minute");
    await reconciler.idle();
    expect(await stage.machines()).toEqual([id]);
    expect(await stage.state(id)).toBe("booting");
  });

  it("together with most others is not believed at all", async () => {
    await stage.host();
    const principal = await stage.world.account();
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push((await stage.launchOne({ principal })).id);
    const reconciler = stage.reconciler({ massLoss: 2 });
    await reconciler.idle();
    // At once: the sweep of the start may be under way, and one that is missing alone is believed.
    await inTransaction(stage.db, async (tx) => {
      for (const id of ids) await loseMachine(tx, id);
    });
    await reconciler.sweepNow();
    await reconciler.idle();
    for (const id of ids) expect(await stage.state(id)).toBe("active");
    expect(stage.logged).toContainEqual(expect.objectContaining({ level: "error", missing: 3, instances: 3 }));
  });
});

describe("a guest that reboots", () => {
  it("stays active", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    const reconciler = stage.reconciler();
    await reconciler.idle();
    await rebootFromInside(stage.db, id, 3600);
    await reconciler.sweepNow();
    await reconciler.idle();
    expect(await stage.state(id)).toBe("active");
    expect(await stage.story(id)).toEqual(["booting", "active"]);
  });
});

describe("a host that dies", () => {
  it("makes its instances unreachable, and ok again when it is back", async () => {
    const host = await stage.host();
    const { id } = await stage.launchOne();
    const reconciler = stage.reconciler();
    await reconciler.idle();
    await killHost(stage.db, host);
    await reconciler.sweepNow();
    await reconciler.sweepNow();
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({ state: "active", health: "unreachable" });
    const stored = () => stage.db.selectFrom("hosts").select("available").where("name", "=", host).executeTakeFirst();
    expect(await stored()).toEqual({ available: false });

    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject({ state: "active", health: "ok", next_look_at: null });
    expect(await stored()).toEqual({ available: true });
    expect(await stage.story(id)).toEqual(["booting", "active", "unreachable", "reachable"]);
  });

  it("keeps a terminated instance's capacity until it is back and the removal is confirmed", async () => {
    const host = await stage.host();
    const { id, principal } = await stage.launchOne();
    const reconciler = stage.reconciler();
    await reconciler.idle();
    await killHost(stage.db, host);
    await stage.world.change(principal, "terminate", [id]);
    await reconciler.idle();
    expect(await stage.state(id)).toBe("terminating");
    await reviveHost(stage.db, host);
    await travel(stage.db, "2 minutes");
    await reconciler.idle();
    expect(await stage.state(id)).toBe("terminated");
    await auditCapacity(stage.db);
  });

  it("during a first boot: the launch fails at the deadline, and the machine goes when the host is back", async () => {
    const host = await stage.host();
    await killHost(stage.db, host);
    const { id } = await stage.launchOne();
    const reconciler = stage.reconciler();
    await reconciler.idle();
    await travel(stage.db, "601 seconds");
    await reconciler.idle();
    const row = await stage.row(id);
    expect(row).toMatchObject({ state: "terminating", failure_code: "host-unreachable" });
    // Its account reads the message, and no host.
    expect(row.failure_message).not.toContain(host);
    await reviveHost(stage.db, host);
    await travel(stage.db, "2 minutes");
    await reconciler.idle();
    expect(await stage.state(id)).toBe("terminated");
    await auditCapacity(stage.db);
  });
});

describe("a machine with our mark that belongs to no instance", () => {
  it("is removed after the grace period, and no other", async () => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const { id: other } = await stage.launchOne();
    const engine = stage.engine();
    const reconciler = stage.reconciler({}, engine);
    await reconciler.idle();
    const row = await stage.row(id);
    await stage.world.change(principal, "terminate", [id]);
    await reconciler.idle();
    // A create that was on its way for long, and arrives after the instance was removed.
    const spec = { ...stage.spec(row), gpuAddresses: row.gpu_addresses };
    await engine.create(spec, AbortSignal.timeout(1000));

    await reconciler.sweepNow();
    expect((await stage.machines()).sort()).toEqual([id, other].sort());
    await reconciler.sweepNow();
    expect(await stage.machines()).toEqual([other]);
    expect(await stage.state(id)).toBe("terminated");
    expect(stage.logged).toContainEqual(expect.objectContaining({ level: "warn", machine: id }));
  });

  it("is left alone during the grace period", async () => {
    await stage.host();
    const { id } = await stage.launchOne();
    const engine = stage.engine();
    const reconciler = stage.reconciler({ orphanGraceSeconds: 3600 }, engine);
    await reconciler.idle();
    const stray = { ...stage.spec(await stage.row(id)), id: crypto.randomUUID(), gpuAddresses: [] };
    await engine.create(stray, AbortSignal.timeout(1000));
    for (let sweep = 0; sweep < 3; sweep++) await reconciler.sweepNow();
    expect((await stage.machines()).sort()).toEqual([id, stray.id].sort());
  });
});
