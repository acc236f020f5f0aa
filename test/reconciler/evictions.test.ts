// Evictions of spot instances with machines: what guests are told, that they halt in time and are not taken for stopped by
// their customer, that a notice that is withdrawn leaves nothing behind, and that its steps can fail and happen twice.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { forgive, injectFaults } from "../../src/engines/simulated/database.ts";
import { type FailpointRunner, guestNoticeFailpoints, noFailpoints } from "../../src/reconciler/failpoints.ts";
import { GuestNotices } from "../../src/reconciler/guest-notices.ts";
import { type Reconciler, startReconciler } from "../../src/reconciler/reconciler.ts";
import type { Principal } from "../../src/rental/service.ts";
import { Evictor } from "../../src/rental/spot/evictor.ts";
import type { WaitingLaunch } from "../../src/rental/waiting/waiting-launch.ts";
import { cancelWait } from "../../src/rental/waiting/waiting-store.ts";
import { preemptionFile } from "../../src/rules/spot.ts";
import { auditCapacity } from "../support/audit.ts";
import { quiet, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";
import { inWords, Waiting } from "../support/waiting.ts";

const stage = stageOfFile();
const waiting = new Waiting(stage.world);
let ann: Principal;
let bob: Principal;
let host: string;

beforeEach(async () => {
  await stage.world.image();
  await stage.world.product({ name: "one", gpus: 1, spotPriceCentsPerHour: 30 });
  [ann, bob] = [await waiting.customer(), await waiting.customer()];
  host = await stage.host({ gpus: 1 });
});

function begin(gate: FailpointRunner = noFailpoints): Reconciler {
  const engine = stage.engine();
  const { service } = stage.world;
  return startReconciler({
    db: stage.db,
    databaseUrl: stage.world.url,
    engines: new Map([[engine.name, engine]]),
    keyRing: service.keyRing,
    placer: waiting.placer(),
    evictor: new Evictor(stage.db, service, inWords),
    settings: { ...quiet, pollSeconds: 3600 },
    log: stage.log,
    gate,
  });
}

/** Until nothing is left to do: each part can give others work. */
async function rest(reconciler: Reconciler): Promise<void> {
  for (let round = 0; round < 4; round++) await reconciler.idle();
}

/** A spot instance that runs, and a launch that it is evicted for. */
async function evicted(reconciler: Reconciler): Promise<{ id: string; launch: WaitingLaunch }> {
  const { id } = await stage.world.launchOne(bob, { instanceType: "one", spot: true });
  await rest(reconciler);
  const launch = await waiting.waits(ann, { instanceType: "one" });
  await rest(reconciler);
  expect((await stage.row(id)).evict_at).not.toBeNull();
  return { id, launch };
}

/** What is in the guest; undefined: nothing, null: no machine. */
async function fileIn(id: string): Promise<string | undefined | null> {
  const { rows } = await sql<{ files: Record<string, string> | null }>`
    select files from simulated.machines where id = ${id}`.execute(stage.db);
  return rows[0] === undefined ? null : rows[0].files?.[preemptionFile];
}

const shown = (at: Date | null) => `${JSON.stringify({ evict_at: at?.toISOString() })}\n`;

describe("a spot instance that is evicted", () => {
  it("finds the time in its guest, is asked to halt 30 seconds before, and its GPU goes to the launch", async () => {
    const reconciler = begin();
    const { id, launch } = await evicted(reconciler);
    expect(await fileIn(id)).toBe(shown((await stage.row(id)).evict_at));
    await travel(stage.db, "91 seconds");
    await rest(reconciler);
    // The engine has halted it, as for a stop.
    expect(await stage.row(id)).toMatchObject({ state: "stopped", evict_stopped: true, ended_by: null });
    await travel(stage.db, "30 seconds");
    await rest(reconciler);
    expect(await stage.row(id)).toMatchObject({ state: "terminated", ended_by: "preempted" });
    expect(await fileIn(id)).toBeNull();
    expect(await waiting.stateOf(launch)).toBe("placed");
    const [placed] = (await waiting.now(launch)).instanceIds;
    expect(await stage.state(placed ?? "")).toBe("active");
    await auditCapacity(stage.db);
    await reconciler.stop();
  });

  it("that halts by itself meanwhile, or that its customer restarts, is evicted all the same", async () => {
    const reconciler = begin();
    const { id, launch } = await evicted(reconciler);
    await stage.world.change(bob, "stop", [id]);
    await rest(reconciler);
    await stage.world.change(bob, "restart", [id]);
    await rest(reconciler);
    // What was there is gone with the guest's memory, and written again.
    expect(await fileIn(id)).toBe(shown((await stage.row(id)).evict_at));
    await travel(stage.db, "121 seconds");
    await rest(reconciler);
    expect(await stage.row(id)).toMatchObject({ state: "terminated", ended_by: "preempted" });
    expect(await waiting.stateOf(launch)).toBe("placed");
    await reconciler.stop();
  });

  it("runs on if the launch goes, without a trace in its guest, also if it was halted already", async () => {
    const reconciler = begin();
    const { id, launch } = await evicted(reconciler);
    await stage.world.tx((tx) => cancelWait(tx, ann, launch.id));
    await rest(reconciler);
    expect(await stage.row(id)).toMatchObject({ state: "active", evict_at: null });
    expect(await fileIn(id)).toBeUndefined();
    const other = await waiting.waits(ann, { instanceType: "one" });
    await rest(reconciler);
    await travel(stage.db, "91 seconds");
    await rest(reconciler);
    expect(await stage.state(id)).toBe("stopped");
    await stage.world.tx((tx) => cancelWait(tx, ann, other.id));
    await rest(reconciler);
    expect(await stage.row(id)).toMatchObject({ state: "active", evict_at: null, evict_stopped: false });
    expect(await fileIn(id)).toBeUndefined();
    await reconciler.stop();
  });

  it("is evicted although its guest cannot be told", async () => {
    const reconciler = begin();
    await injectFaults(stage.db, { kind: "unavailable", host, operation: "write-guest-file" });
    const { id, launch } = await evicted(reconciler);
    expect(await fileIn(id)).toBeUndefined();
    await travel(stage.db, "121 seconds");
    await rest(reconciler);
    expect(await stage.state(id)).toBe("terminated");
    expect(await waiting.stateOf(launch)).toBe("placed");
    await reconciler.stop();
  });
});

describe("the steps of telling a guest", () => {
  it.each(guestNoticeFailpoints)("can fail at %s, and happen twice: then it is told", async (point) => {
    const reconciler = begin();
    await injectFaults(stage.db, { kind: "unavailable", host, operation: "write-guest-file" });
    const { id } = await evicted(reconciler);
    await reconciler.stop();
    await forgive(stage.db);
    const engine = stage.engine();
    const tell = async (gate: FailpointRunner) => {
      // A new one each time, as after a start: none is paused.
      const notices = new GuestNotices({ db: stage.db, engine, log: stage.log, gate });
      await notices.begin(new AbortController().signal);
      await notices.ended();
    };
    const at = (there: typeof point, act: <T>(pass: () => Promise<T>) => Promise<T>): FailpointRunner => {
      return (now, pass) => (now === there ? act(pass) : pass());
    };
    await tell(at(point, () => Promise.reject(new Error("the test lets this fail"))));
    expect((await stage.row(id)).evict_told).toBeNull();
    await tell(
      at(point, async (pass) => {
        await pass();
        return pass();
      }),
    );
    const { evict_at, evict_told } = await stage.row(id);
    expect(evict_told).toEqual(evict_at);
    expect(await fileIn(id)).toBe(shown(evict_at));
  });

  it("has a deadline, and a guest that hangs delays no other", async () => {
    await stage.host({ gpus: 1 });
    const reconciler = begin();
    const one = await stage.world.launchOne(bob, { instanceType: "one", spot: true });
    const { id } = await stage.world.launchOne(bob, { instanceType: "one", spot: true });
    await rest(reconciler);
    await reconciler.stop();
    await injectFaults(stage.db, { kind: "hangs", machine: one.id, operation: "write-guest-file" });
    for (let count = 0; count < 2; count++) await waiting.waits(ann, { instanceType: "one" });
    await waiting.place();
    await waiting.evict();
    const over = new AbortController();
    const notices = new GuestNotices({ db: stage.db, engine: stage.engine(), log: stage.log, gate: noFailpoints });
    await notices.begin(over.signal);
    await expect.poll(() => fileIn(id)).toContain("evict_at");
    expect(await fileIn(one.id)).toBeUndefined();
    over.abort(new Error("the server stops"));
    await notices.ended();
  });
});
