// Spot instances are evicted for launches that wait: for whom, which ones, when, and how it is withdrawn.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { reserve, slotsOf } from "../../../test/support/reservations.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { Waiting } from "../../../test/support/waiting.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { changeAccount } from "../accounts/account-store.ts";
import { setGpuPolicy } from "../gpus/policies.ts";
import { changeHostMode } from "../hosts/change-mode.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { LaunchOrder } from "../launching/order.ts";
import type { Principal } from "../service.ts";
import { deleteKey } from "../ssh-keys/ssh-keys.ts";
import type { WaitingLaunch } from "../waiting/waiting-launch.ts";
import { cancelWait } from "../waiting/waiting-store.ts";

const world = worldOfFile();
const waiting = new Waiting(world);
let ann: Principal;
let bob: Principal;

beforeEach(async () => {
  await world.image();
  for (const [name, gpus] of [
    ["cpu", 0],
    ["one", 1],
    ["two", 2],
    ["eight", 8],
  ] as const) {
    await world.product({ name, gpus, vcpus: 8 * Math.max(gpus, 1), spotPriceCentsPerHour: 30 });
  }
  [ann, bob] = [await waiting.customer(), await waiting.customer()];
});

/** A spot instance that runs, its id. */
async function spot(part: Partial<LaunchOrder> = {}): Promise<string> {
  const { id } = await world.launchOne(bob, { instanceType: "one", spot: true, ...part });
  await observe(id, "ready");
  return id;
}

async function observe(id: string, fact: "ready" | "halted"): Promise<void> {
  const { generation } = await row(id);
  const details = fact === "ready" ? { ip: "203.0.113.1" } : {};
  await world.tx((tx) => recordObservation(tx, { id, generation }, fact, details as never));
}

const row = (id: string) => world.db.selectFrom("instances").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const waits = (part: Partial<LaunchOrder> = {}) => waiting.waits(ann, { instanceType: "one", ...part });
const underNotice = async () => {
  const query = world.db.selectFrom("instances").select(["id", "evicted_for"]).where("evict_at", "is not", null);
  const rows = await query.where("terminating_at", "is", null).execute();
  return new Map(rows.map(({ id, evicted_for }) => [id, evicted_for]));
};
const keptFor = async ({ id }: WaitingLaunch) => {
  const query = world.db.selectFrom("hosts").select("name").where("earmarked_for", "=", id).orderBy("name");
  return (await query.execute()).map(({ name }) => name);
};
async function told(id: string): Promise<string[]> {
  const query = world.db.selectFrom("events").select("type").where("subject_id", "=", id).orderBy("position");
  return (await query.execute()).map(({ type }) => type.replace("instance.", ""));
}
/** As replicas do: they place and evict, and what has ended is removed. */
async function settle(): Promise<void> {
  await waiting.place();
  await waiting.evict();
  const query = world.db.selectFrom("instances").select("id").where("state", "=", "terminating");
  for (const { id } of await query.execute()) await waiting.removed(id);
  await waiting.place();
}

describe("a launch that waits", () => {
  it("has a spot instance evicted after a notice, and gets its GPU, though it is reset and others want it", async () => {
    await world.host({ name: "a", gpus: 1 });
    const policy = { gpuModel: "H100", region: null, handover: "reset", validation: null } as const;
    await world.tx((tx) => setGpuPolicy(tx, policy));
    const id = await spot();
    const launch = await waits();
    await settle();
    const { evict_at } = await row(id);
    expect(Math.abs(Number(evict_at) - Date.now() - 120_000)).toBeLessThan(10_000);
    expect(await told(id)).toEqual(["booting", "active", "preemption_notice"]);
    expect(await keptFor(launch)).toEqual(["a"]);
    const { blockedMessage, expectedAt } = await waiting.now(launch);
    expect(blockedMessage).toContain(`1 spot instance is being evicted for it, by ${evict_at?.toISOString()}.`);
    expect(expectedAt).toEqual(evict_at);
    await travel(world.db, "80 seconds");
    await settle();
    expect((await row(id)).state).toBe("active");
    await travel(world.db, "10 seconds");
    await settle();
    expect(await row(id)).toMatchObject({ state: "stopping", evict_stopped: true });
    await observe(id, "halted");
    await travel(world.db, "31 seconds");
    await settle();
    expect(await row(id)).toMatchObject({ state: "terminated", ended_by: "preempted" });
    expect(await told(id)).toEqual([
      ...["booting", "active", "preemption_notice", "stopping", "stopped", "preempted", "terminating", "terminated"],
    ]);
    // The GPU is being reset.
    await settle();
    expect(await waiting.stateOf(launch)).toBe("waiting for capacity");
    for (const part of [{}, { spot: true }, { instanceType: "cpu" }]) {
      const late = world.launch(bob, { instanceType: "one", ...part });
      await expect(late).rejects.toMatchObject({ kind: "insufficient-capacity" });
    }
    await sql`update gpus set state = 'free'`.execute(world.db);
    await sql`update gpu_pools set free = 1`.execute(world.db);
    await sql`update hosts set free_vcpus = free_vcpus`.execute(world.db);
    await settle();
    expect(await waiting.stateOf(launch)).toBe("placed");
    expect(await keptFor(launch)).toEqual([]);
    await auditCapacity(world.db);
  });

  it("has none evicted that is not spot, nor for another region, nor if it is spot itself or wants no wait", async () => {
    await world.host({ name: "a", gpus: 2 });
    await world.host({ name: "b", gpus: 1, region: "south" });
    await world.launch(bob, { instanceType: "one", region: "north" });
    await spot({ region: "south" });
    const one = await spot({ region: "north" });
    await waiting.waits(ann, { instanceType: "one", spot: true });
    await expect(world.launch(ann, { instanceType: "one" })).rejects.toMatchObject({ kind: "insufficient-capacity" });
    const large = await waits({ instanceType: "two", region: "north" });
    await settle();
    // The other GPU is of one that is not spot, so that this would not help. The host is kept for when that ends.
    expect(await underNotice()).toEqual(new Map());
    expect(await keptFor(large)).toEqual(["a"]);
    const launch = await waits({ region: "north" });
    await settle();
    expect(await underNotice()).toEqual(new Map());
    await world.tx((tx) => cancelWait(tx, ann, large.id));
    await settle();
    expect(await underNotice()).toEqual(new Map([[one, launch.id]]));
  });

  it("of several GPUs has as many evicted as it lacks, the youngest, on hosts of one region", async () => {
    await world.host({ name: "a", gpus: 4 });
    await world.host({ name: "b", gpus: 4, region: "south" });
    const north = [await spot({ region: "north" }), await spot({ region: "north" }), await spot({ region: "north" })];
    await spot({ region: "south" });
    await world.launch(bob, { instanceType: "one", quantity: 3, region: "south" });
    const launch = await waits({ instanceType: "two", quantity: 2 });
    await settle();
    // One GPU is free.
    expect([...(await underNotice()).keys()].toSorted()).toEqual(north.toSorted());
    await world.tx((tx) => cancelWait(tx, ann, launch.id));
    await settle();
    expect(await underNotice()).toEqual(new Map());
    await waits({ instanceType: "two" });
    await settle();
    expect([...(await underNotice()).keys()]).toEqual([north[2]]);
  });

  it("does not have its own hosts, or those that serve earlier ones, evicted twice: each launch has its own", async () => {
    for (const name of ["a", "b", "c"]) await world.host({ name, gpus: 1 });
    const ids = [await spot(), await spot(), await spot()];
    const launches = [await waits(), await waits()];
    await Promise.all([settle(), waiting.evict(), waiting.evict()]);
    await settle();
    const notices = await underNotice();
    expect(new Set(notices.keys())).toEqual(new Set(ids.slice(1)));
    expect(new Set(notices.values())).toEqual(new Set(launches.map(({ id }) => id)));
    await travel(world.db, "121 seconds");
    await settle();
    await settle();
    expect(await Promise.all(launches.map((launch) => waiting.stateOf(launch)))).toEqual(["placed", "placed"]);
    expect((await row(ids[0] ?? "")).state).toBe("active");
    expect(await underNotice()).toEqual(new Map());
  });

  it("counts on what is being removed anyway", async () => {
    await world.host({ name: "a", gpus: 2 });
    const [other] = await world.launch(bob, { instanceType: "one" });
    await spot();
    const launch = await waits();
    await world.change(bob, "terminate", [other?.id ?? ""]);
    await waiting.place();
    await waiting.evict();
    expect(await underNotice()).toEqual(new Map());
    await waiting.removed(other?.id ?? "");
    await waiting.place();
    expect(await waiting.stateOf(launch)).toBe("placed");
  });

  it("has as many evicted as leave a reservation its slots, and never takes those", async () => {
    await world.host({ name: "a", gpus: 2 });
    const { id: reserved } = await reserve(world, ann, { instanceType: "one", from: 10, to: 20 });
    const [long, short] = [await spot(), await spot({ maxLifetimeSeconds: 3600 })];
    const endless = world.launch(bob, { instanceType: "one", spot: true });
    await expect(endless).rejects.toMatchObject({ kind: "insufficient-capacity" });
    const launch = await waits();
    await settle();
    expect(new Set((await underNotice()).keys())).toEqual(new Set([long, short]));
    await travel(world.db, "121 seconds");
    await settle();
    expect(await waiting.stateOf(launch)).toBe("placed");
    const behind = await waits();
    await spot({ maxLifetimeSeconds: 3600 });
    await settle();
    // Its end would give the reservation what is promised to it, and the launch nothing.
    expect(await underNotice()).toEqual(new Map());
    expect(await waiting.stateOf(behind)).toBe("waiting for capacity");
    expect(await slotsOf(world, reserved)).toEqual({ a: 1 });
  });

  it("has a stopped one evicted, too, and one of its own account", async () => {
    await world.host({ name: "a", gpus: 1 });
    const { id } = await world.launchOne(ann, { instanceType: "one", spot: true });
    await observe(id, "ready");
    await world.change(ann, "stop", [id]);
    await observe(id, "halted");
    const launch = await waits();
    await settle();
    expect(await underNotice()).toEqual(new Map([[id, launch.id]]));
    await travel(world.db, "121 seconds");
    await settle();
    expect(await waiting.stateOf(launch)).toBe("placed");
    expect(await told(id)).not.toContain("preemption_withdrawn");
  });
});

describe("nothing is evicted for a launch that would fail", () => {
  beforeEach(() => world.host({ name: "a", gpus: 1 }));

  it.each([
    ["its key is gone", "refused", async (by: Principal) => world.tx(async (tx) => deleteKey(tx, by, await keyOf(by)))],
    [
      "its quota is used up",
      "waiting for quota",
      async ({ accountId }: Principal) => world.tx((tx) => changeAccount(tx, accountId, { quotas: { gpus: 0 } })),
    ],
    [
      "its account may spend nothing",
      "waiting for spend-limit",
      async ({ accountId }: Principal) => world.tx((tx) => changeAccount(tx, accountId, { spendLimitCents: 0 })),
    ],
    [
      "its type is dearer than it pays",
      "waiting for price",
      async () => void (await world.product({ name: "one", gpus: 1, priceCentsPerHour: 200 })),
    ],
  ])("because %s: before the notice, and at its end", async (_why, state, fails) => {
    await world.sshKey(ann, "laptop");
    const id = await spot();
    const ask = () => waits({ sshKeyNames: ["laptop"], maxPriceCentsPerHour: 100 });
    const first = await ask();
    await waiting.evict();
    expect((await underNotice()).size).toBe(1);
    await fails(ann);
    await travel(world.db, "121 seconds");
    await waiting.evict();
    expect(await waiting.stateOf(first)).toBe(state);
    expect(await row(id)).toMatchObject({ state: "active", evict_at: null, evicted_for: null });
    expect(await told(id)).toEqual(["booting", "active", "preemption_notice", "preemption_withdrawn"]);
    await settle();
    expect((await underNotice()).size).toBe(0);
    expect(await keptFor(first)).toEqual([]);
  });

  const keyOf = async ({ accountId }: Principal) =>
    (await world.db.selectFrom("ssh_keys").select("id").where("account_id", "=", accountId).executeTakeFirstOrThrow())
      .id;
});

describe("an eviction within five minutes", () => {
  it("costs nothing if it is for another account, and is billed if it is for the own one", async () => {
    await world.host({ name: "a", gpus: 1 });
    await world.host({ name: "b", gpus: 1, region: "south" });
    const others = await spot({ region: "north" });
    await waiting.waits(ann, { instanceType: "one", region: "north" });
    const own = await spot({ region: "south" });
    await waiting.waits(bob, { instanceType: "one", region: "south" });
    await settle();
    await travel(world.db, "121 seconds");
    await settle();
    const { rows } = await sql<{ id: string; seconds: number }>`
      select instance_id as id, extract(epoch from ended_at - started_at)::integer as seconds from billing_spans
      where instance_id = any(${[own, others]}::uuid[])`.execute(world.db);
    const seconds = new Map(rows.map((one) => [one.id, one.seconds]));
    expect(seconds.get(others)).toBe(0);
    expect(seconds.get(own)).toBeGreaterThan(120);
    await auditCapacity(world.db);
  });
});

describe("a notice is withdrawn", () => {
  it.each([
    ["its launch is cancelled", (launch: WaitingLaunch) => world.tx((tx) => cancelWait(tx, ann, launch.id))],
    ["there is room elsewhere", () => world.host({ name: "z", gpus: 1 })],
    [
      "its host accepts nothing any more",
      () => world.tx((tx) => changeHostMode(tx, "a", { action: "cordon", reason: undefined, by: null })),
    ],
  ])("when %s, and the instance goes on", async (_why, happens) => {
    await world.host({ name: "a", gpus: 1 });
    const id = await spot();
    const launch = await waits();
    await settle();
    await happens(launch);
    await settle();
    await settle();
    expect(await told(id)).toEqual(["booting", "active", "preemption_notice", "preemption_withdrawn"]);
    expect(await row(id)).toMatchObject({ state: "active", evict_at: null, evicted_for: null });
    expect(await keptFor(launch)).toEqual([]);
    await travel(world.db, "1 hour");
    await settle();
    expect((await row(id)).state).toBe("active");
  });

  it("and one that was halted for it starts again, unless its account has stopped it meanwhile", async () => {
    await world.host({ name: "a", gpus: 1 });
    await world.host({ name: "b", gpus: 1 });
    const [one, other] = [await spot(), await spot()];
    const launches = [await waits(), await waits()];
    await settle();
    await travel(world.db, "100 seconds");
    await settle();
    for (const id of [one, other]) expect(await row(id)).toMatchObject({ state: "stopping", evict_stopped: true });
    await observe(one, "halted");
    await world.change(bob, "stop", [other]);
    for (const { id } of launches) await world.tx((tx) => cancelWait(tx, ann, id));
    await settle();
    await settle();
    await observe(other, "halted");
    await settle();
    expect(await row(one)).toMatchObject({ state: "booting", evict_stopped: false, evict_at: null });
    expect(await row(other)).toMatchObject({ state: "stopped", evict_stopped: false, evict_at: null });
  });

  it("and goes on for another launch that needs the same", async () => {
    await world.host({ name: "a", gpus: 1 });
    const id = await spot();
    const first = await waits();
    await settle();
    const second = await waits();
    await world.tx((tx) => cancelWait(tx, ann, first.id));
    await settle();
    expect(await underNotice()).toEqual(new Map([[id, second.id]]));
    expect(await keptFor(second)).toEqual(["a"]);
    expect(await told(id)).toEqual(["booting", "active", "preemption_notice"]);
    await travel(world.db, "121 seconds");
    await settle();
    expect(await waiting.stateOf(second)).toBe("placed");
  });
});

describe("spot launches", () => {
  it("wait behind all others, and get nothing that is kept", async () => {
    await world.host({ name: "a", gpus: 8 });
    const [filler] = await world.launch(bob, { instanceType: "one" });
    const cheap = await waiting.waits(ann, { instanceType: "eight", spot: true });
    const large = await waits({ instanceType: "eight" });
    await waiting.place();
    expect(await keptFor(large)).toEqual(["a"]);
    expect([await waiting.now(cheap), await waiting.now(large)].map(({ ahead }) => ahead)).toEqual([1, 0]);
    const small = { instanceType: "one", maxLifetimeSeconds: 60 };
    await sql`update hosts set earmark_from = now() + interval '1 day' where name = 'a'`.execute(world.db);
    await expect(world.launch(bob, { ...small, spot: true })).rejects.toMatchObject({ kind: "insufficient-capacity" });
    expect(await world.launch(bob, small)).toHaveLength(1);
    const [lasts] = await world.db
      .selectFrom("instances")
      .select("id")
      .where("id", "<>", filler?.id ?? "")
      .execute();
    for (const id of [filler?.id ?? "", lasts?.id ?? ""]) await waiting.end(bob, id);
    await waiting.place();
    expect([await waiting.stateOf(large), await waiting.stateOf(cheap)]).toEqual(["placed", "waiting for capacity"]);
  });

  it("do not keep others off: a newcomer at the full price comes first", async () => {
    await world.host({ name: "a", gpus: 2 });
    const [first] = await world.launch(bob, { instanceType: "two" });
    const cheap = await waiting.waits(ann, { instanceType: "two", spot: true });
    await waiting.end(bob, first?.id ?? "");
    expect(await world.launch(bob, { instanceType: "one" })).toHaveLength(1);
    await waiting.place();
    expect(await waiting.stateOf(cheap)).toBe("waiting for capacity");
    await expect(world.launch(bob, { instanceType: "one", spot: true })).resolves.toHaveLength(1);
  });

  it("pay the spot price, up to their maximum, and need a type that has one", async () => {
    await world.host({ name: "a", gpus: 2 });
    const dear = await world.product({ name: "dear", gpus: 1 });
    const [instance] = await world.launch(bob, { instanceType: "one", spot: true, maxPriceCentsPerHour: 30 });
    expect(instance).toMatchObject({ isSpot: true, product: { priceCentsPerHour: 30 } });
    const launches = [
      { instanceType: "one", spot: true, maxPriceCentsPerHour: 29 },
      { instanceType: dear.name, spot: true },
    ];
    for (const part of launches) {
      await expect(world.launch(bob, part)).rejects.toMatchObject({ kind: "invalid-parameters" });
    }
  });
});
