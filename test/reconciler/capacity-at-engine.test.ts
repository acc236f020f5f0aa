// An engine that finds no capacity after a launch was accepted: without a wait the launch fails, with one it is tried again
// until the wait is over; unbilled until it is active. The launch path that orders the wait: test/control/capacity-at-engine.test.ts.

import { sql } from "kysely";
import { expect, it, vi } from "vitest";
import { type FaultToInject, forgive, injectFaults } from "../../src/engines/simulated/database.ts";
import { claim, wake } from "../../src/reconciler/lease-store.ts";
import { type ReconcilerSettings, withDefaults } from "../../src/reconciler/settings.ts";
import { futuresOf } from "../../src/rental/capacity/host-future.ts";
import { auditCapacity } from "../support/audit.ts";
import { quiet, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();

const full = (more: Partial<FaultToInject> = {}): FaultToInject => ({
  kind: "refuses",
  operation: "start",
  parameters: { code: "no-capacity", message: "The cloud has no room." },
  ...more,
});

/** Tries are far apart, so that they are made when a test lets the time pass. */
const rarely = { retrySeconds: [300, 300] } as const satisfies Partial<ReconcilerSettings>;

/** One that is launched while its engine is full, after its first try. `waitHours` null: without a wait. */
async function launched(waitHours: number | null, fault = full()) {
  await stage.host({ gpus: 1 });
  await injectFaults(stage.db, fault);
  const { id, principal } = await stage.launchOne();
  await sql`update instances set waits_until = now() + make_interval(hours => ${waitHours}) where id = ${id}`.execute(
    stage.db,
  );
  const engine = stage.engine();
  const reconciler = stage.reconciler(rarely, engine);
  await reconciler.idle();
  /** What is done by then. */
  const later = async (interval: string) => {
    await travel(stage.db, interval);
    await reconciler.idle();
    return stage.row(id);
  };
  return { id, principal, engine, reconciler, later };
}

const failed = {
  state: "terminated",
  failure_code: "no-capacity",
  failure_message: expect.stringMatching(/^There is not enough capacity for \S+ in north\.$/),
  active_at: null,
};
const waiting = { state: "booting", progress: "waiting for capacity", failure_code: null, attempts: 0 };

it.each(["create", "start"] as const)("without a wait, at %s: fails for capacity, unbilled", async (operation) => {
  const { id } = await launched(null, full({ operation }));
  expect(await stage.row(id)).toMatchObject(failed);
  expect(await stage.story(id)).toEqual(["booting", "failed", "terminating", "terminated"]);
  expect(await stage.span(id)).toBeUndefined();
  expect(await stage.machines()).toEqual([]);
  await auditCapacity(stage.db);
});

it("with a wait: waits far longer than a boot takes, and is active and billed once there is capacity", async () => {
  const { id, later } = await launched(48);
  expect(await stage.row(id)).toMatchObject(waiting);
  expect(await later("20 hours")).toMatchObject(waiting);
  expect(await later("20 hours")).toMatchObject(waiting);
  expect(await stage.span(id)).toBeUndefined();
  await expect(stage.launchOne()).rejects.toMatchObject({ kind: "insufficient-capacity" });
  await auditCapacity(stage.db);
  await forgive(stage.db);
  const { active_at: activeAt, ...active } = await later("6 minutes");
  expect(active).toMatchObject({ state: "active", waits_until: null, room_try_at: null });
  expect((await stage.span(id))?.started_at).toEqual(activeAt);
  expect(await stage.story(id)).toEqual(["booting", "active"]);
  expect(await stage.progress(id)).toEqual(["waiting for capacity"]);
});

it("fails at the end of its wait, unbilled, with its capacity back", async () => {
  const { id, later } = await launched(1);
  expect(await later("59 minutes")).toMatchObject(waiting);
  expect(await later("1 minute")).toMatchObject(failed);
  expect(await stage.span(id)).toBeUndefined();
  expect(await stage.machines()).toEqual([]);
  await auditCapacity(stage.db);
});

it("is terminated while it waits, unbilled, with its capacity back", async () => {
  const { id, principal, reconciler } = await launched(1);
  await stage.world.change(principal, "terminate", [id]);
  await reconciler.idle();
  expect(await stage.row(id)).toMatchObject({ state: "terminated", failure_code: null, ended_by: "customer" });
  expect(await stage.span(id)).toBeUndefined();
  await auditCapacity(stage.db);
});

it("is tried the more rarely the older it is, at most a minute apart, and not past the end of its wait", async () => {
  await stage.host({ gpus: 1 });
  await injectFaults(stage.db, full());
  const { id } = await stage.launchOne();
  /** Until the next try, if it was launched and its wait ends so many minutes before and after now. */
  const inSeconds = async (minutes: number, left: number) => {
    await sql`
      update instances set created_at = now() - ${minutes}::float8 * interval '1 minute', room_try_at = null, next_look_at = now(),
        waits_until = now() + ${left}::float8 * interval '1 minute' where id = ${id}`.execute(stage.db);
    const [job] = await claim(stage.db, ["simulated"], 1, withDefaults(quiet));
    await sql`update instances set lease_owner = null, lease_until = null where id = ${id}`.execute(stage.db);
    return job?.room_retry_in ?? Number.NaN;
  };
  for (const [minutes, left, least, most] of [
    [0, 60, 0.25, 0.5],
    [2, 60, 15, 31],
    [10, 60, 30, 60],
    [6000, 60, 30, 60],
    [6000, 0.1, 0, 6],
  ] as const) {
    const seconds = await inSeconds(minutes, left);
    expect(seconds).toBeGreaterThanOrEqual(least);
    expect(seconds).toBeLessThanOrEqual(most);
  }
  expect(await inSeconds(10, 0)).toBeNaN();
});

it("is not tried before its time by hints, such as those of what failed", async () => {
  const { id, engine, reconciler, later } = await launched(1);
  const start = vi.spyOn(engine, "start");
  const { room_try_at: tryAt } = await stage.row(id);
  for (let hint = 0; hint < 3; hint += 1) {
    await wake(stage.db, [id]);
    await reconciler.idle();
  }
  expect(start).not.toHaveBeenCalled();
  expect(await stage.row(id)).toMatchObject({ ...waiting, room_try_at: tryAt });
  await later("6 minutes");
  expect(start).toHaveBeenCalledTimes(1);
});

it("is accepted, and found to have no capacity later: waits without news at each try, also if nothing was tried for long", async () => {
  const { id, engine, reconciler, later } = await launched(48);
  const start = vi.spyOn(engine, "start");
  const { host } = await stage.row(id);
  for (const interval of ["6 minutes", "20 hours"]) {
    start.mockResolvedValueOnce({ id, host, power: "starting", usable: false, ip: undefined, progress: "scheduling" });
    expect(await later(interval)).toMatchObject(waiting);
    await wake(stage.db, [id]);
    await reconciler.idle();
    expect(await stage.row(id)).toMatchObject(waiting);
  }
  expect(start).toHaveBeenCalledTimes(4);
  expect(await stage.progress(id)).toEqual(["waiting for capacity"]);
});

it("waits on while its engine does not respond", async () => {
  const { id, later } = await launched(48);
  await forgive(stage.db);
  await injectFaults(stage.db, { kind: "unavailable" });
  for (const interval of ["6 minutes", "20 minutes", "20 minutes"]) {
    expect(await later(interval)).toMatchObject({ state: "booting", failure_code: null });
  }
  await forgive(stage.db);
  expect(await later("20 minutes")).toMatchObject({ state: "active" });
  expect(await stage.story(id)).toEqual(["booting", "active"]);
});

it("has the time of one boot as without a wait once there is capacity", async () => {
  const { id, later } = await launched(48);
  await forgive(stage.db);
  await injectFaults(stage.db, { kind: "never-boots" });
  expect(await later("20 hours")).toMatchObject({ state: "booting" });
  expect(await later("15 seconds")).toMatchObject({ state: "booting", room_try_at: null, progress: "booting" });
  expect(await later("9 minutes")).toMatchObject({ state: "booting" });
  expect(await later("2 minutes")).toMatchObject({ state: "terminated", failure_code: "boot-timeout" });
  expect(await stage.span(id)).toBeUndefined();
});

it("does not wait again once it was stopped: from then on it is billed", async () => {
  const { id, principal, reconciler } = await launched(48);
  await stage.world.change(principal, "stop", [id]);
  await reconciler.idle();
  expect(await stage.row(id)).toMatchObject({ state: "stopped", waits_until: null, room_try_at: null });
  await stage.world.change(principal, "restart", [id]);
  await reconciler.idle();
  expect(await stage.row(id)).toMatchObject(failed);
  await auditCapacity(stage.db);
});

it("is expected to give its capacity back no sooner than its lifetime after the end of its wait", async () => {
  const { id } = await launched(48);
  await sql`update instances set max_lifetime_seconds = 3600 where id = ${id}`.execute(stage.db);
  const { host, waits_until: until } = await stage.row(id);
  const [future] = await futuresOf(stage.db, [host], undefined);
  const hours = ((future?.endings[0]?.endsMs ?? 0) - (until?.getTime() ?? 0)) / 3_600_000;
  expect(hours).toBeCloseTo(1 + 1 / 6, 3);
});
