// What wakes waiting launches: everything that gives room, each time the launch that can use it, without a poll; and what
// only takes room wakes none. The poll comes once an hour here, so whatever is placed was woken.

import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listen } from "../../src/database/listen.ts";
import { type Reconciler, startReconciler } from "../../src/reconciler/reconciler.ts";
import { changeAccount } from "../../src/rental/accounts/account-store.ts";
import { limitToken } from "../../src/rental/accounts/token-limits.ts";
import { putInstanceType } from "../../src/rental/catalog/instance-type-store.ts";
import { quarantineGpu, releaseGpu } from "../../src/rental/gpus/decisions.ts";
import { setGpuPolicy } from "../../src/rental/gpus/policies.ts";
import { changeHostMode } from "../../src/rental/hosts/change-mode.ts";
import type { InstanceType } from "../../src/rental/instances/instance.ts";
import { workChannel } from "../../src/rental/instances/wake.ts";
import type { LaunchOrder } from "../../src/rental/launching/order.ts";
import type { Principal } from "../../src/rental/service.ts";
import { Evictor } from "../../src/rental/spot/evictor.ts";
import type { WaitingLaunch } from "../../src/rental/waiting/waiting-launch.ts";
import { cancelWait, expireWaits } from "../../src/rental/waiting/waiting-store.ts";
import { quiet, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";
import { inWords, Waiting } from "../support/waiting.ts";

const stage = stageOfFile();
const waiting = new Waiting(stage.world);
let replicas: Reconciler[] = [];
let ann: Principal;
let bob: Principal;
let one: InstanceType;
let two: InstanceType;
/** How often waiting launches were looked at, by all replicas. */
let runs = 0;

beforeEach(async () => {
  await stage.world.image();
  one = await stage.world.product({ name: "one", gpus: 1, spotPriceCentsPerHour: 30 });
  two = await stage.world.product({ name: "two", gpus: 2, spotPriceCentsPerHour: 60 });
  [ann, bob] = [await waiting.customer(), await waiting.customer()];
  replicas = [replica(), replica(), replica()];
  await stage.listening(replicas.length);
  // Hosts that come while it lists them for the first time would be missing in the list.
  for (const each of replicas) await each.sweepNow();
});
afterEach(async () => void (await Promise.all(replicas.map((each) => each.stop()))));

function replica(): Reconciler {
  const engine = stage.engine();
  return startReconciler({
    db: stage.db,
    databaseUrl: stage.world.url,
    engines: new Map([[engine.name, engine]]),
    keyRing: stage.world.service.keyRing,
    placer: waiting.placer(),
    evictor: new Evictor(stage.db, stage.world.service, inWords),
    settings: { ...quiet, pollSeconds: 3600, resetRetrySeconds: [0, 0] },
    log: stage.log,
    gate: (point, pass) => {
      if (point === "waitsExpired") runs += 1;
      return pass();
    },
  });
}

const idle = async () => void (await Promise.all(replicas.map((each) => each.idle())));
const poke = () => {
  for (const each of replicas) each.poke();
};

/** An instance that runs. */
async function running(part: Partial<LaunchOrder> = {}, principal = bob): Promise<string> {
  const { id } = await stage.world.launchOne(principal, { instanceType: one.name, ...part });
  await idle();
  return id;
}

/** Begins to wait, and was tried in vain for that. */
async function waits(...asked: Parameters<Waiting["waits"]>): Promise<WaitingLaunch> {
  const launch = await waiting.waits(...asked);
  await heard(async () => undefined);
  await idle();
  expect(await waiting.stateOf(launch)).toMatch(/^waiting/);
  return launch;
}

const placed = (launch: WaitingLaunch) => expect.poll(() => waiting.stateOf(launch)).toBe("placed");
const host = (gpus: number, region = "north") => stage.host({ gpus, region });
const mode = (name: string, action: "cordon" | "uncordon") =>
  stage.world.tx((tx) => changeHostMode(tx, name, { action, reason: undefined, by: null }));

/** The work that was told of during `act`. */
async function heard(act: () => Promise<unknown>): Promise<string[]> {
  const all: string[] = [];
  const note = (work: string) => void all.push(work);
  const listener = listen({ url: stage.world.url }, workChannel, note, () => {});
  await listener.ready;
  await act();
  // Notifications come in the order of the commits.
  await sql`select pg_notify(${workChannel}, 'mark')`.execute(stage.db);
  await expect.poll(() => all).toContain("mark");
  await listener.close();
  return all.filter((work) => work !== "mark");
}

describe("capacity wakes the first launch that can use it", () => {
  it("when an instance is terminated", async () => {
    await host(1);
    await host(1, "south");
    const [id] = [await running({ region: "north" }), await running({ region: "south" })];
    const other = await waits(ann, { instanceType: "one", region: "south" });
    const launch = await waits(ann, { instanceType: "one", region: "north" });
    await stage.world.change(bob, "terminate", [id]);
    await placed(launch);
    expect(await waiting.stateOf(other)).toBe("waiting for capacity");
  });

  it("when there is a new host", async () => {
    await host(1);
    await running();
    const large = await waits(ann, { instanceType: "two" });
    const launch = await waits(ann, { instanceType: "one" });
    await host(1);
    await placed(launch);
    expect(await waiting.stateOf(large)).toBe("waiting for fleet");
    await host(2);
    await placed(large);
  });

  it("when a host gets the labels that it asks for, and when it gets more GPUs", async () => {
    const name = await host(1);
    const labelled = await waits(ann, { instanceType: "one", hostSelector: [{ key: "rack", value: "r1" }] });
    expect(await waiting.stateOf(labelled)).toBe("waiting for fleet");
    const large = await waits(ann, { instanceType: "two" });
    await sql`update hosts set labels = '{"rack": "r1"}' where name = ${name}`.execute(stage.db);
    await placed(labelled);
    await sql`update gpu_pools set total = 2`.execute(stage.db);
    await expect.poll(() => waiting.stateOf(large)).toBe("waiting for capacity");
  });

  it("when a host is uncordoned", async () => {
    const name = await host(1);
    await mode(name, "cordon");
    const launch = await waits(ann, { instanceType: "one" });
    await mode(name, "uncordon");
    await placed(launch);
  });

  it("when a GPU is released from quarantine", async () => {
    const name = await host(1);
    const address = "0000:01:00.0";
    await stage.world.tx((tx) => quarantineGpu(tx, name, address, { reason: "It is hot.", by: bob.accountId }));
    const launch = await waits(ann, { instanceType: "one" });
    const release = (confirmation?: string) =>
      stage.world.tx((tx) => releaseGpu(tx, name, address, { confirmation, by: bob.accountId }));
    const { confirmation } = await release();
    expect((await release(confirmation)).isReleased).toBe(true);
    await placed(launch);
  });

  it("when the reset of a GPU has ended, and not before", async () => {
    await host(1);
    await stage.world.tx((tx) =>
      setGpuPolicy(tx, { gpuModel: "H100", region: null, handover: "reset", validation: null }),
    );
    const id = await running();
    const launch = await waits(ann, { instanceType: "one" });
    await stage.world.change(bob, "terminate", [id]);
    await placed(launch);
    const { rows } = await sql<{ reset: boolean }>`
      select bool_and(reset_at is not null) as reset from simulated.gpus`.execute(stage.db);
    expect(rows).toEqual([{ reset: true }]);
  });

  it.each(["cancelled", "expired"])("when one before it is %s", async (how) => {
    await host(2);
    await running();
    // The host is kept for it.
    const first = await waits(ann, { instanceType: "two" });
    const second = await waits(bob, { instanceType: "one" });
    if (how === "cancelled") await stage.world.tx((tx) => cancelWait(tx, ann, first.id));
    else {
      await sql`update waiting_launches set wait_until = now() where id = ${first.id}`.execute(stage.db);
      await expireWaits(stage.db, 10); // as another replica
    }
    await placed(second);
    expect(await waiting.stateOf(first)).toBe(how);
  });

  it("and the one behind it, when the first is found to wait for something else", async () => {
    await host(1);
    const id = await running();
    const [first, second] = [await waits(ann, { instanceType: "one" }), await waits(bob, { instanceType: "one" })];
    await stage.world.tx((tx) => changeAccount(tx, ann.accountId, { quotas: { gpus: 0 } }));
    await stage.world.change(bob, "terminate", [id]);
    await placed(second);
    expect(await waiting.stateOf(first)).toBe("waiting for quota");
  });
});

describe("an eviction", () => {
  const underNotice = async (id: string) => (await stage.row(id)).evicted_for;

  it("begins when a launch begins to wait, and what it frees wakes that launch, and no other", async () => {
    await host(1);
    await host(1, "south");
    const [north] = [await running({ spot: true, region: "north" }), await running({ region: "south" })];
    const other = await waits(ann, { instanceType: "one", region: "south" });
    const launch = await waits(ann, { instanceType: "one", region: "north" });
    await expect.poll(() => underNotice(north)).toBe(launch.id);
    // What still runs would collide with time that is moved under it, and be tried again much later.
    await Promise.all(replicas.map((each) => each.idle()));
    await travel(stage.db, "121 seconds");
    // The clock of this process has not moved.
    poke();
    await placed(launch);
    expect(await stage.row(north)).toMatchObject({ state: "terminated", ended_by: "preempted" });
    expect(await waiting.stateOf(other)).toBe("waiting for capacity");
  });

  it("is followed up when its notice is over, by a timer", async () => {
    await host(1);
    const id = await running({ spot: true });
    const launch = await waits(ann, { instanceType: "one" });
    await expect.poll(() => underNotice(id)).toBe(launch.id);
    await sql`update instances set evict_at = now() + interval '2 seconds', evict_stopped = true`.execute(stage.db);
    poke();
    await expect.poll(() => waiting.stateOf(launch), { timeout: 10_000 }).toBe("placed");
  });

  it("begins when one before is found to wait for something else, and for one whose quota is raised", async () => {
    await host(1);
    const id = await running({ spot: true });
    await stage.world.tx((tx) => changeAccount(tx, ann.accountId, { quotas: { gpus: 0 } }));
    const poor = await waits(ann, { instanceType: "one" });
    const launch = await waits(bob, { instanceType: "one" });
    await expect.poll(() => underNotice(id)).toBe(launch.id);
    expect(await waiting.stateOf(poor)).toBe("waiting for quota");
    await stage.world.tx((tx) => cancelWait(tx, bob, launch.id));
    await expect.poll(() => underNotice(id)).toBe(null);
    await stage.world.tx((tx) => changeAccount(tx, ann.accountId, { quotas: { gpus: 1 } }));
    await expect.poll(() => underNotice(id)).toBe(poor.id);
  });

  it("is withdrawn when there is room elsewhere", async () => {
    await host(2);
    const id = await running({ instanceType: two.name, spot: true });
    const launch = await waits(ann, { instanceType: "one" });
    await expect.poll(() => underNotice(id)).toBe(launch.id);
    await host(1);
    await placed(launch);
    await expect.poll(() => underNotice(id)).toBe(null);
    expect(await stage.state(id)).toBe("active");
  });
});

describe("a launch that something else than capacity blocks is woken", () => {
  it("by a raised quota of its account, and as many as it allows, in order", async () => {
    await host(8);
    const [poor, other] = [
      await waiting.customer({ quotas: { gpus: 0 } }),
      await waiting.customer({ quotas: { gpus: 0 } }),
    ];
    const launches: WaitingLaunch[] = [];
    for (let count = 0; count < 4; count++) launches.push(await waits(poor, { instanceType: "one" }));
    const unlucky = await waits(other, { instanceType: "one" });
    for (const [index, launch] of launches.entries()) {
      await stage.world.tx((tx) => changeAccount(tx, poor.accountId, { quotas: { gpus: index + 1 } }));
      await placed(launch);
      const states = await Promise.all([...launches.slice(index + 1), unlucky].map((each) => waiting.stateOf(each)));
      expect(new Set(states)).toEqual(new Set(["waiting for quota"]));
    }
  });

  it("by the end of another instance of its account", async () => {
    await host(8);
    const small = await waiting.customer({ quotas: { gpus: 1 } });
    const id = await running({}, small);
    const launch = await waits(small, { instanceType: "one" });
    await stage.world.change(small, "terminate", [id]);
    await placed(launch);
  });

  it.each([
    ["raised", 1_000_000],
    ["removed", null],
  ])("by a spend limit of its account that is %s", async (_how, spendLimitCents) => {
    await host(8);
    const poor = await waiting.customer({ spendLimitCents: 0 });
    const launch = await waits(poor, { instanceType: "one" });
    expect(launch.blockedBy).toBe("spend-limit");
    await stage.world.tx((tx) => changeAccount(tx, poor.accountId, { spendLimitCents }));
    await placed(launch);
  });

  it.each([
    ["raised", 1_000_000],
    ["removed", null],
  ])("by a spend limit of its token that is %s", async (_how, limit) => {
    await host(8);
    const poor = await waiting.customer({}, 0);
    const launch = await waits(poor, { instanceType: "one" });
    expect(launch.blockedBy).toBe("spend-limit");
    await stage.world.tx((tx) => limitToken(tx, bob, poor.accountId, poor.tokenId, limit));
    await placed(launch);
  });

  it("by a lower price, and only by one that it pays", async () => {
    const name = await host(8);
    await mode(name, "cordon");
    const launch = await waits(ann, { instanceType: "one", maxPriceCentsPerHour: 100 });
    const costs = (priceCentsPerHour: number) =>
      stage.world.tx((tx) => putInstanceType(tx, { ...one, priceCentsPerHour }));
    await costs(300);
    await expect.poll(() => waiting.stateOf(launch)).toBe("waiting for price");
    await mode(name, "uncordon");
    await costs(200);
    await idle();
    expect(await waiting.stateOf(launch)).toBe("waiting for price");
    await costs(100);
    await placed(launch);
  });
});

describe("what only takes room", () => {
  it("wakes none: a launch, and a host that is kept", async () => {
    await host(2);
    await host(1, "south");
    await running({ region: "north" });
    await waits(ann, { instanceType: "two" });
    // Had that woken it, it would be looked at again and again.
    const { rows } = await sql`select from hosts where earmarked_for is not null`.execute(stage.db);
    expect(rows).toHaveLength(1);
    const before = runs;
    const work = await heard(() => stage.world.launchOne(bob, { instanceType: "one", region: "south" }));
    expect(work).toContain("instances");
    expect(work).not.toContain("launches");
    expect(runs).toBe(before);
  });

  it("and what gives room wakes none where none waits", async () => {
    const name = await host(2);
    const id = await running({ instanceType: two.name });
    const work = await heard(async () => {
      await stage.world.change(bob, "terminate", [id]);
      await idle();
      await mode(name, "cordon");
      await mode(name, "uncordon");
    });
    expect(work).not.toContain("launches");
  });
});
