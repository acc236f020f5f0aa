// Hosts that are declared lost: what ends with them and until when it is billed, what is rejected, and what happens when
// such a host returns.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { type Engine, EngineError } from "../../src/engines/engine.ts";
import { injectFaults, killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { deregisterHost } from "../../src/rental/capacity/host-changes.ts";
import { readHost } from "../../src/rental/capacity/host-reading.ts";
import { deleteFileSystem, listFileSystems } from "../../src/rental/file-systems/file-systems.ts";
import { changeHostMode } from "../../src/rental/hosts/change-mode.ts";
import { declareLost, type HostLoss } from "../../src/rental/hosts/declare-lost.ts";
import type { Principal } from "../../src/rental/service.ts";
import { auditEverything } from "../support/audit.ts";
import { begin, untilWaiting } from "../support/interleave.ts";
import { changingNothing, refusal } from "../support/refusals.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();

let host: string;
let reconciler: Reconciler;
let by: string;
beforeEach(async () => {
  host = await stage.host({ gpus: 4 });
  reconciler = stage.reconciler();
  ({ accountId: by } = await stage.world.account());
});

const declare = (confirmation?: string, reason = "Written off"): Promise<HostLoss> =>
  stage.world.tx((tx) => declareLost(tx, host, { reason, confirmation, by }));
const uncordon = () => stage.world.tx((tx) => changeHostMode(tx, host, { action: "uncordon", reason: undefined, by }));
const read = () => readHost(stage.db, host);

async function active(order: { principal?: Principal; fileSystemNames?: string[] } = {}): Promise<Launched> {
  const launched = await stage.launchOne(order);
  await reconciler.idle();
  return launched;
}

/** The host stops responding, `seconds` after it was last reached. */
async function dies(seconds = 0): Promise<void> {
  await reconciler.sweepNow();
  await travel(stage.db, `${seconds} seconds`);
  await killHost(stage.db, host);
  await reconciler.sweepNow();
}

async function lost(): Promise<HostLoss> {
  const { confirmation } = await declare();
  return declare(confirmation);
}

/** Seconds from the start of billing to its end. */
async function billedSeconds(id: string): Promise<number> {
  const span = await stage.span(id);
  return ((span?.ended_at?.getTime() ?? Number.NaN) - (span?.started_at.getTime() ?? Number.NaN)) / 1000;
}

async function eventsOf(type: string): Promise<{ account_id: string | null; data: Record<string, unknown> }[]> {
  const { rows } = await sql<{ account_id: string | null; data: Record<string, unknown> }>`
    select account_id, data from events where type = ${type} order by position`.execute(stage.db);
  return rows;
}

describe("declaring a host lost", () => {
  it("shows first what would end, and changes nothing", async () => {
    const one = await active();
    const ending = await active();
    await dies();
    await reconciler.stop();
    await stage.world.change(ending.principal, "terminate", [ending.id]);
    const loss = await changingNothing(stage.db, () => declare());
    expect(loss).toMatchObject({ isDeclared: false, fileSystems: [], host: { state: "unreachable" } });
    expect(loss.instances.map(({ id, state }) => [id, state])).toEqual(
      [
        [one.id, "active"],
        [ending.id, "terminating"],
      ].sort(),
    );
    expect((await read()).unreachableSince).toEqual(loss.unreachableSince);
  });

  it("ends exactly that, billed until the host was last reached, and takes its capacity out", async () => {
    const one = await active();
    await travel(stage.db, "1 hour");
    await dies(600);
    const booting = await stage.launchOne({ principal: one.principal }).catch((error: unknown) => error);
    expect(booting).toBeInstanceOf(Error);
    const done = await lost();
    expect(done).toMatchObject({ isDeclared: true, host: { state: "lost", modeReason: "Written off", instances: 0 } });
    expect(await stage.row(one.id)).toMatchObject({
      state: "terminated",
      ended_by: "host-lost",
      failure_code: "host-lost",
      health: "ok",
      next_look_at: null,
      terminating_at: expect.any(Date),
    });
    expect(await stage.story(one.id)).toEqual(["booting", "active", "unreachable", "host_lost", "terminated"]);
    const seconds = await billedSeconds(one.id);
    expect(seconds).toBeGreaterThanOrEqual(3600);
    expect(seconds).toBeLessThan(3600 + 60);
    const found = await auditEverything(stage.db);
    expect(found).toMatchObject({ lost: [], capacity: [], spans: [], events: [], orphans: [expect.any(String)] });
    const { used_instances: used } = await stage.db
      .selectFrom("accounts")
      .select("used_instances")
      .where("id", "=", one.principal.accountId)
      .executeTakeFirstOrThrow();
    expect(used).toBe(0);
    await refusal("insufficient-capacity", stage.launchOne());
    expect((await eventsOf("host.state_changed")).map(({ data }) => data.state)).toEqual(["unreachable", "lost"]);
  });

  it("bills what became active since for no time, and what was ending as it was", async () => {
    const ending = await active();
    await reconciler.sweepNow();
    const late = await active();
    await killHost(stage.db, host);
    await reconciler.sweepNow();
    await stage.world.change(ending.principal, "terminate", [ending.id]);
    const before = await stage.span(ending.id);
    await lost();
    expect(await billedSeconds(late.id)).toBe(0);
    expect(await stage.span(ending.id)).toEqual(before);
    expect(await stage.row(ending.id)).toMatchObject({ state: "terminated", ended_by: "customer", failure_code: null });
    expect(await stage.story(ending.id)).not.toContain("host_lost");
  });

  it("loses the file systems on its own storage, which can then only be deleted, and no others", async () => {
    const principal = await stage.world.account();
    const shared = await stage.world.fileSystem(principal);
    await active({ principal, fileSystemNames: [shared.name] });
    await stage.db.updateTable("hosts").set({ shared_storage: false }).execute();
    const own = await stage.world.fileSystem(principal);
    await active({ principal, fileSystemNames: [own.name] });
    await dies();
    const { confirmation, fileSystems } = await declare();
    expect(fileSystems).toMatchObject([{ id: own.id, name: own.name }]);
    await declare(confirmation);
    const listed = await listFileSystems(stage.db, principal);
    expect(listed.filter(({ lostAt }) => lostAt !== undefined).map(({ id }) => id)).toEqual([own.id]);
    expect(listed.flatMap(({ attachedTo }) => attachedTo)).toEqual([]);
    expect(await eventsOf("file_system.lost")).toMatchObject([
      { account_id: principal.accountId, data: { file_system_id: own.id } },
    ]);
    await stage.host();
    expect(await refusal("conflict", stage.launchOne({ principal, fileSystemNames: [own.name] }))).toMatchObject({
      message: expect.stringContaining("lost with its host"),
    });
    await stage.world.tx((tx) => deleteFileSystem(tx, principal, own.id));
    expect(await listFileSystems(stage.db, principal)).toHaveLength(1);
  });

  it("is rejected for a host that its engine reaches, also again", async () => {
    await active();
    await reconciler.sweepNow();
    const { message } = await refusal("conflict", declare());
    expect(message).toMatch(/its engine simulated reached it at 20\d\d-/);
    await dies();
    const { confirmation } = await declare();
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    await refusal("conflict", declare(confirmation));
    // Of an earlier time that it was unreachable.
    await dies();
    await refusal("conflict", declare(confirmation));
    expect((await read()).state).toBe("unreachable");
  });

  it("is rejected where something else would end than was confirmed", async () => {
    const one = await active();
    await dies();
    const { confirmation } = await declare();
    await reconciler.stop();
    await stage.world.change(one.principal, "stop", [one.id]);
    await changingNothing(stage.db, async () => {
      const { suggestion } = await refusal("conflict", declare(confirmation));
      expect(suggestion).toContain("without `confirmation`");
      await refusal("conflict", declare("0000000000000000"));
    });
  });

  it("is rejected for an unknown host, and for a reason that is none", async () => {
    await dies();
    const { confirmation } = await declare();
    await refusal("invalid-parameters", declare(confirmation, "two\nlines"));
    host = "nowhere";
    await refusal("unknown-object", declare());
  });

  it("by two operators at once is done once, and the other is told", async () => {
    await active();
    await dies();
    const { confirmation } = await declare();
    await using first = await begin(stage.db);
    await declareLost(first.tx, host, { reason: "first", confirmation, by });
    const second = declare(confirmation, "second");
    await untilWaiting(stage.db);
    await first.commit();
    expect(await refusal("conflict", second)).toMatchObject({ message: expect.stringContaining("lost already") });
    expect(await read()).toMatchObject({ modeReason: "first" });
    expect(await eventsOf("instance.host_lost")).toHaveLength(1);
  });

  it("leaves no decision but its return", async () => {
    await dies();
    await lost();
    for (const action of ["cordon", "uncordon", "drain"] as const)
      await refusal(
        "conflict",
        stage.world.tx((tx) => changeHostMode(tx, host, { action, reason: undefined, by })),
      );
  });

  it("is possible while its whole engine fails", async () => {
    const { id } = await active();
    await reconciler.sweepNow();
    await reconciler.stop();
    const engine = stage.engine();
    const fails = () => Promise.reject(new EngineError("unavailable", "down", "It is down."));
    engine.hosts = fails;
    engine.list = fails;
    const failing = stage.reconciler({ sweepSeconds: 0.01 }, engine);
    await expect.poll(async () => (await read()).unreachableSince).not.toBeNull();
    await failing.stop();
    await expect.poll(async () => (await read()).state).toBe("unreachable");
    expect((await eventsOf("host.state_changed")).map(({ data }) => data.state)).toEqual(["unreachable"]);
    await lost();
    expect(await stage.state(id)).toBe("terminated");
  });
});

describe("a lost host that returns", () => {
  it("is cleaned before it accepts instances, and is cordoned", async () => {
    const [one, other] = [await active(), await active()];
    await dies();
    await lost();
    await reviveHost(stage.db, host);
    expect(await stage.machines()).toEqual([one.id, other.id].sort());
    await reconciler.sweepNow();
    // Removed at once, without the grace period of orphans; found clean by the next one.
    expect([await stage.machines(), (await read()).state]).toEqual([[], "lost"]);
    await reconciler.sweepNow();
    expect(await read()).toMatchObject({ state: "cordoned", modeBy: null, unreachableSince: null });
    await refusal("insufficient-capacity", stage.launchOne());
    await uncordon();
    const again = await active();
    expect([again.host, await stage.state(again.id)]).toEqual([host, "active"]);
    expect(await auditEverything(stage.db)).toEqual({ lost: [], capacity: [], spans: [], events: [], orphans: [] });
  });

  it("stays lost while something cannot be removed, and until it is reached", async () => {
    await active();
    await dies();
    await lost();
    await reconciler.sweepNow();
    expect((await read()).state).toBe("lost");
    await injectFaults(stage.db, { kind: "unavailable", operation: "remove", host, times: 1 });
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    await reconciler.sweepNow();
    expect([(await stage.machines()).length, (await read()).state]).toEqual([0, "lost"]);
    await reconciler.sweepNow();
    expect((await read()).state).toBe("cordoned");
  });

  it("does not return by what a slower replica listed before it failed", async () => {
    const slow = stage.engine();
    const listed = Promise.withResolvers<void>();
    const { list } = slow;
    slow.list = async (signal) => {
      const listing = await list.call(slow, signal);
      await listed.promise;
      return listing;
    };
    const late = stage.reconciler({}, slow).sweepNow();
    const { id } = await active();
    await dies();
    await lost();
    listed.resolve();
    await late;
    expect(await read()).toMatchObject({ state: "lost", unreachableSince: expect.any(Date) });
    expect(await stage.machines()).toEqual([id]);
  });

  it("loses what an interrupted create makes there later, at once", async () => {
    const { id } = await active();
    const row = await stage.row(id);
    await dies();
    await lost();
    await reviveHost(stage.db, host);
    for (const _ of [1, 2]) await reconciler.sweepNow();
    expect((await read()).state).toBe("cordoned");
    await reconciler.stop();
    reconciler = stage.reconciler({ orphanGraceSeconds: 300 });
    await stage.engine().create(stage.spec(row), AbortSignal.timeout(10_000));
    expect(await stage.machines()).toEqual([id]);
    await reconciler.sweepNow();
    expect(await stage.machines()).toEqual([]);
  });

  it("is still a lost one after it was deleted", async () => {
    await active();
    await dies();
    await lost();
    // As a discovered host, which its engine goes on reporting.
    await stage.world.tx((tx) => deregisterHost(tx, new Map(), host));
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    expect([await stage.machines(), (await read()).state]).toEqual([[], "lost"]);
    await reconciler.sweepNow();
    expect((await read()).state).toBe("cordoned");
    await stage.world.tx((tx) => deregisterHost(tx, new Map(), host));
    await reconciler.sweepNow();
    expect((await read()).state).toBe("up");
  });

  it("is recognized where it was reinstalled: nothing is concluded until it is declared lost", async () => {
    const { id } = await active();
    await reconciler.stop();
    const original = stage.reconciler({}, withHostIdentity("original"));
    await original.sweepNow();
    await original.stop();
    const engine = withHostIdentity("reinstalled");
    engine.list = async () => ({ machines: [], unreachableHosts: [] });
    engine.inspect = async () => undefined;
    const reinstalled = stage.reconciler({}, engine);
    await reinstalled.sweepNow();
    await reinstalled.idle();
    expect([await stage.state(id), (await read()).state]).toEqual(["active", "unreachable"]);
    await lost();
    // Pointed at what is another host already, it is not taken for that.
    await sql`insert into settings (name, value) values ('world:simulated/other', '"reinstalled"')`.execute(stage.db);
    for (const _ of [1, 2]) await reinstalled.sweepNow();
    expect((await read()).state).toBe("lost");
    await sql`delete from settings where name = 'world:simulated/other'`.execute(stage.db);
    for (const _ of [1, 2]) await reinstalled.sweepNow();
    expect(await read()).toMatchObject({ state: "cordoned", available: true });
  });

  it("is recognized where it was reinstalled, also before the next full resync", async () => {
    const { id, principal } = await active();
    await reconciler.stop();
    const engine = withHostIdentity("original");
    const again = stage.reconciler({ retrySeconds: [0.01, 0.01] }, engine);
    await again.sweepNow();
    engine.identity = async () => "reinstalled";
    engine.list = async () => ({ machines: [], unreachableHosts: [] });
    engine.inspect = async () => undefined;
    await stage.world.change(principal, "stop", [id]);
    await expect.poll(() => stage.logged.map(({ message }) => message)).toContain(paused);
    expect(await stage.state(id)).toBe("stopping");
  });
});

const paused = "host identity changed; reconciliation paused";

/** The simulated engine as if each host had an identity of its own. */
function withHostIdentity(identity: string): Engine {
  const engine = stage.engine();
  Object.defineProperty(engine, "worlds", { value: [host] });
  engine.identity = async () => identity;
  return engine;
}
