// Maintenance windows of hosts: what happens to hosts and instances at their beginning and end, with actions meanwhile, and
// whenever the service dies. What operators and customers decide: maintenance-decisions.test.ts.

import { describe, expect, it } from "vitest";
import { killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import { removeHost } from "../../src/rental/capacity/host-store.ts";
import { changeHostMode } from "../../src/rental/hosts/change-mode.ts";
import { declareLost } from "../../src/rental/hosts/declare-lost.ts";
import { beginIfDue, endIfDue } from "../../src/rental/maintenance/begin-end.ts";
import { startAfterWindows, stopForWindows } from "../../src/rental/maintenance/instances.ts";
import { runWindows } from "../../src/rental/maintenance/run.ts";
import type { HostDecision } from "../../src/rules/host-lifecycle.ts";
import { auditEverything } from "../support/audit.ts";
import { begin } from "../support/interleave.ts";
import { inHours, maintenanceOfFile } from "../support/maintenance.ts";
import { changingNothing, refusal } from "../support/refusals.ts";
import { stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();
const on = maintenanceOfFile(stage);

const decide = (action: HostDecision) =>
  stage.world.tx((tx) => changeHostMode(tx, on.host, { action, reason: `to ${action}`, by: on.by }));

describe("a window that stops instances", () => {
  it("stops those that run when it begins, and starts exactly those again when it ends", async () => {
    const one = await on.active();
    const stopped = await on.active();
    await stage.world.change(stopped.principal, "stop", [stopped.id]);
    await on.reconciler.idle();
    const { id } = await on.schedule();
    await on.run();
    expect([await stage.state(one.id), (await on.read()).state]).toEqual(["active", "up"]);

    await on.later(1);
    expect(await on.read()).toMatchObject({ state: "maintenance", modeReason: "New firmware" });
    expect(await on.window(id)).toMatchObject({ phase: "started", startedAt: expect.any(Date), endedAt: null });
    expect([await stage.state(one.id), await stage.state(stopped.id)]).toEqual(["stopped", "stopped"]);
    expect((await stage.row(one.id)).stopped_for).toBe(id);
    expect((await stage.row(stopped.id)).stopped_for).toBeNull();
    await refusal("insufficient-capacity", stage.launchOne());

    await on.later(2);
    expect(await on.read()).toMatchObject({ state: "up", modeReason: null });
    expect(await on.window(id)).toMatchObject({ phase: "ended", endedAt: expect.any(Date) });
    expect([await stage.state(one.id), await stage.state(stopped.id)]).toEqual(["active", "stopped"]);
    expect((await stage.row(one.id)).stopped_for).toBeNull();
    expect(await stage.story(one.id)).toEqual(["booting", "active", "stopping", "stopped", "booting", "active"]);
    const { lost, orphans, spans, events } = await auditEverything(stage.db);
    expect({ lost, orphans, spans, events }).toEqual({ lost: [], orphans: [], spans: [], events: [] });
  });

  it("tells each account of its own instances only, and operators of the host", async () => {
    const [ada, eve] = [await on.active(), await on.active()];
    const { id, groupId } = await on.schedule({ deferrableUntil: inHours(5) });
    await on.later(1);
    await on.later(2);
    for (const one of [ada, eve]) {
      expect(await on.toldTo(id, one.principal.accountId)).toEqual(["scheduled", "started", "ended"]);
    }
    const [first] = (await on.told(id)).filter(({ account_id: account }) => account === ada.principal.accountId);
    expect(first?.data).toEqual({
      window_id: id,
      from: expect.any(String),
      to: expect.any(String),
      mode: "stop",
      reason: "New firmware",
      phase: "scheduled",
      revision: 1,
      deferrable_until: expect.any(String),
      deferred: false,
      instance_ids: [ada.id],
    });
    expect(await on.toldTo(id, null)).toEqual(["scheduled", "started", "ended"]);
    expect((await on.told(id)).find(({ account_id: account }) => account === null)?.data).toMatchObject({
      host: on.host,
      group_id: groupId,
    });
  });

  it("stops what is launched before it begins, and what still boots when it does", async () => {
    const { id } = await on.schedule();
    await on.reconciler.stop();
    const booting = await stage.launchOne();
    await travel(stage.db, "1 hour");
    await runWindows(stage.db, { isBilled: false });
    expect(await stage.row(booting.id)).toMatchObject({ state: "stopping", stopped_for: id });
    on.restart();
    await on.run();
    expect(await stage.state(booting.id)).toBe("stopped");
    await on.later(2);
    expect(await stage.state(booting.id)).toBe("active");
  });

  it("lets nothing start while it lasts", async () => {
    const one = await on.active();
    await on.schedule();
    await on.later(1);
    const rejected = await changingNothing(stage.db, () =>
      refusal("conflict", stage.world.change(one.principal, "restart", [one.id])),
    );
    expect(rejected.message).toMatch(`The host of instance ${one.id} is in maintenance until 20`);
    expect(rejected.message).not.toContain(on.host);
    await refusal("conflict", stage.world.change(one.principal, "reboot", [one.id]));
    await on.later(2);
    expect(await stage.state(one.id)).toBe("active");
  });

  it("stops what a restart started at the same moment", async () => {
    const one = await on.active();
    await stage.world.change(one.principal, "stop", [one.id]);
    await on.reconciler.idle();
    const { id } = await on.schedule();
    await travel(stage.db, "1 hour");
    await stage.world.change(one.principal, "restart", [one.id]);
    await on.run();
    expect(await stage.row(one.id)).toMatchObject({ state: "stopped", stopped_for: id });
    await on.later(2);
    expect(await stage.state(one.id)).toBe("active");
  });

  it("leaves what its account stopped or terminated meanwhile as it is", async () => {
    const [stopped, terminated] = [await on.active(), await on.active()];
    await on.schedule();
    await on.later(1);
    await stage.world.change(stopped.principal, "stop", [stopped.id]);
    await stage.world.change(terminated.principal, "terminate", [terminated.id]);
    await on.reconciler.idle();
    await on.later(2);
    expect([await stage.state(stopped.id), await stage.state(terminated.id)]).toEqual(["stopped", "terminated"]);
    await stage.world.change(stopped.principal, "restart", [stopped.id]);
    await on.reconciler.idle();
    expect(await stage.state(stopped.id)).toBe("active");
  });
});

describe("a window that does nothing", () => {
  it("keeps new instances away, and lets the others run and restart", async () => {
    const one = await on.active();
    await on.schedule({ mode: "nothing" });
    await on.later(1);
    expect([await stage.state(one.id), (await on.read()).state]).toEqual(["active", "maintenance"]);
    await refusal("insufficient-capacity", stage.launchOne());
    await stage.world.change(one.principal, "stop", [one.id]);
    await on.reconciler.idle();
    await stage.world.change(one.principal, "restart", [one.id]);
    await on.reconciler.idle();
    expect(await stage.state(one.id)).toBe("active");
    await on.later(2);
    expect(await stage.story(one.id)).toEqual(["booting", "active", "stopping", "stopped", "booting", "active"]);
  });
});

describe("the host of a window", () => {
  it.each<HostDecision>(["cordon", "drain"])("returns to what was decided before, here to %s", async (action) => {
    await decide(action);
    const before = await on.read();
    await on.schedule();
    await on.later(1);
    expect((await on.read()).state).toBe("maintenance");
    await on.later(2);
    const { stateSince: _, ...after } = await on.read();
    expect(before).toMatchObject(after);
    expect(after.modeReason).toBe(`to ${action}`);
  });

  it("is not decided about while it lasts", async () => {
    await on.schedule();
    await on.later(1);
    for (const action of ["cordon", "uncordon", "drain"] as const) {
      expect(await refusal("conflict", decide(action))).toMatchObject({
        message: `Host ${on.host} is in maintenance: ${action} is not possible.`,
        suggestion: expect.stringContaining("End its maintenance window"),
      });
    }
  });

  it("that is unreachable when it begins stops its instances when it returns, also after the end", async () => {
    const one = await on.active();
    await on.schedule();
    await killHost(stage.db, on.host);
    await on.reconciler.sweepNow();
    await on.later(1);
    expect(await on.read()).toMatchObject({ state: "unreachable", mode: "maintenance" });
    expect(await stage.state(one.id)).toBe("stopping");
    await on.later(2);
    expect(await stage.state(one.id)).toBe("stopping");
    await reviveHost(stage.db, on.host);
    await on.reconciler.sweepNow();
    await on.run();
    expect(await on.read()).toMatchObject({ state: "up" });
    expect(await stage.state(one.id)).toBe("active");
  });

  it("that is declared lost stays lost, and the window ends", async () => {
    const one = await on.active();
    const { id } = await on.schedule();
    const next = await on.schedule({ beginsAt: inHours(5), endsAt: inHours(6) });
    await on.later(1);
    await killHost(stage.db, on.host);
    await on.reconciler.sweepNow();
    const lose = (confirmation?: string) =>
      stage.world.tx((tx) => declareLost(tx, on.host, { reason: "Burnt", confirmation, by: on.by }));
    await lose((await lose()).confirmation);
    await on.run();
    expect((await on.window(id)).phase).toBe("ended");
    expect(await on.read()).toMatchObject({ state: "lost", modeReason: "Burnt" });
    expect(await on.toldTo(id, one.principal.accountId)).toEqual(["scheduled", "started", "ended"]);
    await refusal("conflict", on.schedule({ beginsAt: inHours(10), endsAt: inHours(11) }));
    await on.later(4);
    expect((await on.window(next.id)).phase).toBe("canceled");
    expect(await on.read()).toMatchObject({ state: "lost", modeReason: "Burnt" });
  });

  it("can be deleted, and its windows stay readable", async () => {
    const { id } = await on.schedule();
    const next = await on.schedule({ beginsAt: inHours(5), endsAt: inHours(6) });
    await on.later(1);
    await stage.world.tx((tx) => removeHost(tx, on.host));
    await on.run();
    await on.later(5);
    expect([(await on.window(id)).phase, (await on.window(next.id)).phase]).toEqual(["ended", "canceled"]);
  });
});

describe("times", () => {
  it("of two windows can meet: the first ends, the second begins, and instances start after it", async () => {
    const one = await on.active();
    const middle = inHours(3);
    const first = await on.schedule({ endsAt: middle });
    const second = await on.schedule({ beginsAt: middle, endsAt: inHours(4) });
    await on.later(1);
    await on.later(2);
    expect([(await on.window(first.id)).phase, (await on.window(second.id)).phase]).toEqual(["ended", "started"]);
    expect(await stage.state(one.id)).toBe("stopped");
    await on.later(1);
    expect(await stage.state(one.id)).toBe("active");
    expect((await on.read()).state).toBe("up");
  });

  it("that passed while the service did not run cancel the window", async () => {
    const one = await on.active();
    const { id } = await on.schedule();
    await on.later(4);
    expect(await on.window(id)).toMatchObject({ phase: "canceled", startedAt: null });
    expect(await stage.story(one.id)).toEqual(["booting", "active"]);
    expect(await on.toldTo(id, one.principal.accountId)).toEqual(["scheduled", "ended"]);
  });

  it("that passed after it began end it, however late", async () => {
    const one = await on.active();
    await on.schedule();
    await on.later(1);
    await on.later(50);
    expect([await stage.state(one.id), (await on.read()).state]).toEqual(["active", "up"]);
  });
});

describe("a service that dies", () => {
  /** The steps in their order, each as the job does it. */
  const steps: readonly [name: string, step: (id: string) => Promise<unknown>][] = [
    ["beginning", (id) => stage.world.tx((tx) => beginIfDue(tx, id))],
    ["stopping", () => stopForWindows(stage.db, false)],
    ["ending", (id) => stage.world.tx((tx) => endIfDue(tx, id))],
    ["starting", () => startAfterWindows(stage.db)],
  ];

  it.each(steps.map(([name], index) => [name, index] as const))(
    "right after %s is continued by the next",
    async (_, at) => {
      const one = await on.active();
      const { id } = await on.schedule();
      await travel(stage.db, "1 hour");
      if (at < 2) for (const [, step] of steps.slice(0, at + 1)) await step(id);
      await on.run();
      expect([await stage.state(one.id), (await on.read()).state]).toEqual(["stopped", "maintenance"]);
      await travel(stage.db, "2 hours");
      if (at >= 2) for (const [, step] of steps.slice(2, at + 1)) await step(id);
      await on.run();
      expect([await stage.state(one.id), (await on.read()).state]).toEqual(["active", "up"]);
      expect(await stage.story(one.id)).toEqual(["booting", "active", "stopping", "stopped", "booting", "active"]);
      expect(await on.toldTo(id, one.principal.accountId)).toEqual(["scheduled", "started", "ended"]);
    },
  );

  it.each(["beginning", "ending"] as const)("in the middle of %s has changed nothing", async (what) => {
    await on.active();
    const { id } = await on.schedule();
    if (what === "ending") await on.later(1);
    await travel(stage.db, what === "ending" ? "2 hours" : "1 hour");
    await changingNothing(stage.db, async () => {
      await using dying = await begin(stage.db);
      expect(await (what === "beginning" ? beginIfDue : endIfDue)(dying.tx, id)).toBe(true);
    });
  });

  it("is one of several that run the same steps at once: each happens once", async () => {
    const instances = [await on.active(), await on.active(), await on.active()];
    const { id } = await on.schedule();
    for (const hours of [1, 2]) {
      await travel(stage.db, `${hours} hours`);
      await Promise.all(Array.from({ length: 4 }, () => runWindows(stage.db, { isBilled: false })));
      await on.run();
    }
    for (const one of instances) {
      expect(await stage.story(one.id)).toEqual(["booting", "active", "stopping", "stopped", "booting", "active"]);
      expect(await on.toldTo(id, one.principal.accountId)).toEqual(["scheduled", "started", "ended"]);
    }
  });
});
