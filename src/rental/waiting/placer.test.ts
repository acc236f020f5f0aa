// Waiting launches and those that come later: whose turn it is, what they wait for, and that each is placed once.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { type Part, Waiting } from "../../../test/support/waiting.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { changeAccount } from "../accounts/account-store.ts";
import { capacityLeftNow } from "../capacity/capacity-left.ts";
import { beforeAll } from "../capacity/line.ts";
import { findInstanceType } from "../catalog/instance-type-store.ts";
import type { Principal } from "../service.ts";
import type { WaitingLaunch } from "./waiting-launch.ts";
import { cancelWait } from "./waiting-store.ts";

const world = worldOfFile();
const waiting = new Waiting(world);
let ann: Principal;
let bob: Principal;

beforeEach(async () => {
  await world.image();
  await world.host({ name: "a", gpus: 2 });
  await world.product({ name: "one", gpus: 1 });
  await world.product({ name: "two", gpus: 2 });
  [ann, bob] = [await waiting.customer(), await waiting.customer()];
});

const waits = (principal: Principal, part: Part) => waiting.waits(principal, part);
const refused = (principal: Principal, part: Part) =>
  expect(world.launch(principal, part)).rejects.toMatchObject({ kind: "insufficient-capacity" });
const place = () => waiting.place();
const now = (launch: WaitingLaunch) => waiting.now(launch);
const end = (principal: Principal, id: string) => waiting.end(principal, id);

describe("a launch that waits", () => {
  it("is placed when there is room, once, and newcomers take nothing before it", async () => {
    const running = only(await world.launch(bob, { instanceType: "two" }));
    const launch = await waits(ann, { instanceType: "one", name: "late" });
    expect(launch).toMatchObject({ state: "waiting", blockedBy: "capacity", blockedMessage: "insufficient-capacity" });
    await place();
    expect(await now(launch)).toMatchObject({ state: "waiting" });
    await end(bob, running.id);
    await refused(bob, { instanceType: "one" });
    await Promise.all([place(), place()]);
    const placed = await now(launch);
    expect(placed).toMatchObject({ state: "placed", blockedBy: null });
    expect(placed.instanceIds).toHaveLength(1);
    const row = await world.db.selectFrom("waiting_launches").selectAll().executeTakeFirstOrThrow();
    expect(row.order_sealed).toBeNull();
    // Now the second GPU is anybody's.
    await world.launch(bob, { instanceType: "one" });
  });

  it("is placed in order of arrival, whichever accounts they are of", async () => {
    const running = only(await world.launch(bob, { instanceType: "two" }));
    const launches = [
      await waits(ann, { instanceType: "two" }),
      await waits(bob, { instanceType: "one" }),
      await waits(ann, { instanceType: "one" }),
    ] as const;
    await end(bob, running.id);
    await place();
    expect(await now(launches[0])).toMatchObject({ state: "placed" });
    expect(await now(launches[1])).toMatchObject({ state: "waiting" });
    await end(ann, (await now(launches[0])).instanceIds[0] ?? "");
    await place();
    expect(await now(launches[1])).toMatchObject({ state: "placed" });
    expect(await now(launches[2])).toMatchObject({ state: "placed" });
  });

  it("keeps others from hosts only on which it fits", async () => {
    await world.launch(bob, { instanceType: "one" });
    await waits(ann, { instanceType: "two" });
    await world.launch(bob, { instanceType: "one" });
  });

  it("does not keep others off while something else than capacity blocks it", async () => {
    const poor = await waiting.customer({ quotas: { gpus: 0 } });
    const launch = await waits(poor, { instanceType: "one" });
    expect(launch.blockedBy).toBe("quota");
    await world.launch(bob, { instanceType: "one" });
    await place();
    expect(await now(launch)).toMatchObject({ state: "waiting", blockedBy: "quota" });
  });

  it("ends when it is cancelled, once", async () => {
    await world.launch(bob, { instanceType: "two" });
    const launch = await waits(ann, { instanceType: "one" });
    await expect(world.tx((tx) => cancelWait(tx, bob, launch.id))).rejects.toMatchObject({ kind: "unknown-object" });
    expect(await world.tx((tx) => cancelWait(tx, ann, launch.id))).toMatchObject({ state: "cancelled" });
    await expect(world.tx((tx) => cancelWait(tx, ann, launch.id))).rejects.toMatchObject({ kind: "conflict" });
  });

  it("is refused when what it names is gone, with the reason", async () => {
    const running = only(await world.launch(bob, { instanceType: "two" }));
    await world.sshKey(ann, "laptop");
    const launch = await waits(ann, { instanceType: "one", sshKeyNames: ["laptop"] });
    await world.db.deleteFrom("ssh_keys").execute();
    await end(bob, running.id);
    await place();
    expect(await now(launch)).toMatchObject({ state: "refused", reason: "unknown-name" });
    await world.launch(bob, { instanceType: "two" });
  });

  it("is tried again at once when it is woken while a try in vain is recorded", async () => {
    const poor = await waiting.customer({ quotas: { gpus: 0 } });
    const launch = await waits(poor, { instanceType: "one" });
    await waiting.place(async (point, pass) => {
      if (point === "launchNotPlaced") {
        await world.tx((tx) => changeAccount(tx, poor.accountId, { quotas: { gpus: 1 } }));
      }
      return pass();
    });
    expect(await now(launch)).toMatchObject({ state: "waiting", blockedBy: "quota" });
    await place();
    expect(await now(launch)).toMatchObject({ state: "placed" });
  });

  it("that a quota blocked is placed before those of its account that came later", async () => {
    await world.host({ gpus: 8 });
    const poor = await waiting.customer({ quotas: { gpus: 0 } });
    const launches = [];
    for (let count = 0; count < 8; count++) launches.push(await waits(poor, { instanceType: "one" }));
    await world.tx((tx) => changeAccount(tx, poor.accountId, { quotas: { gpus: 3 } }));
    await place();
    const states = await Promise.all(launches.map(async (launch) => (await now(launch)).state));
    expect(states).toEqual(Array.from({ length: 8 }, (_, index) => (index < 3 ? "placed" : "waiting")));
  });

  it("hinders no other when its order cannot be read, which is told", async () => {
    await world.host({ name: "b", gpus: 2, region: "south" });
    const north = only(await world.launch(bob, { instanceType: "two", region: "north" }));
    const south = only(await world.launch(bob, { instanceType: "two", region: "south" }));
    const broken = await waits(ann, { instanceType: "one", region: "north" });
    const others = [
      await waits(ann, { instanceType: "one", region: "south" }),
      await waits(bob, { instanceType: "one", region: "south" }),
    ];
    await sql`update waiting_launches set order_sealed = 'nonsense' where id = ${broken.id}`.execute(world.db);
    for (const { id } of [north, south]) await end(bob, id);
    await expect(place()).rejects.toThrow(/encrypted/);
    const states = await Promise.all([broken, ...others].map(async (launch) => (await now(launch)).state));
    expect(states).toEqual(["waiting", "placed", "placed"]);
  });

  it("is tried again when its hosts have changed, or after a while", async () => {
    const placer = waiting.placer();
    const run = () => placer.run(new AbortController().signal);
    const running = only(await world.launch(bob, { instanceType: "two" }));
    const launch = await waits(ann, { instanceType: "one" });
    const triedAt = async () =>
      (await world.db.selectFrom("waiting_launches").select("next_try_at").executeTakeFirstOrThrow()).next_try_at;
    await run();
    const first = await triedAt();
    expect(first.getTime()).toBeGreaterThan(Date.now());
    await run();
    expect(await triedAt()).toEqual(first);
    await world.db.updateTable("waiting_launches").set({ next_try_at: sql`now()` }).execute();
    await run();
    expect(await triedAt()).not.toEqual(first);
    await end(bob, running.id);
    await run();
    expect(await now(launch)).toMatchObject({ state: "placed" });
  });

  it("has its turn at once when the one before it is refused", async () => {
    const running = only(await world.launch(bob, { instanceType: "two" }));
    await world.sshKey(ann, "laptop");
    const [gone, next] = [
      await waits(ann, { instanceType: "two", sshKeyNames: ["laptop"] }),
      await waits(ann, { instanceType: "two" }),
    ];
    await world.db.deleteFrom("ssh_keys").execute();
    await end(bob, running.id);
    await place();
    expect(await now(gone)).toMatchObject({ state: "refused" });
    expect(await now(next)).toMatchObject({ state: "placed" });
  });

  it("tells how many come before it, of the same model where their regions meet", async () => {
    await world.launch(bob, { instanceType: "two" });
    const asked = [
      await waits(ann, { instanceType: "one" }),
      await waits(bob, { instanceType: "two" }),
      await waits(ann, { instanceType: "one" }),
    ];
    expect(asked.map(({ ahead }) => ahead)).toEqual([0, 1, 2]);
  });

  it("gives its turn and the hosts that are kept for it to the next as soon as something else blocks it", async () => {
    const running = only(await world.launch(bob, { instanceType: "one" }));
    const first = await waits(ann, { instanceType: "two" });
    await place();
    const kept = () =>
      world.db.selectFrom("hosts").select("name").where("earmarked_for", "=", first.id).executeTakeFirst();
    expect(await kept()).toEqual({ name: "a" });
    const second = await waits(bob, { instanceType: "one" });
    expect(second.blockedBy).toBe("capacity");
    await world.tx((tx) => changeAccount(tx, ann.accountId, { quotas: { gpus: 1 } }));
    await end(bob, running.id);
    await place();
    expect(await now(first)).toMatchObject({ state: "waiting", blockedBy: "quota" });
    expect(await kept()).toBeUndefined();
    expect(await now(second)).toMatchObject({ state: "placed" });
  });

  it("leaves newcomers no region to try in which its hosts are kept from them", async () => {
    const running = only(await world.launch(bob, { instanceType: "two" }));
    await waits(ann, { instanceType: "two" });
    await end(bob, running.id);
    await expect(world.launch(bob, { instanceType: "one" })).rejects.toMatchObject({
      kind: "insufficient-capacity",
      details: { regionsWithCapacity: [] },
    });
    const product = await findInstanceType(world.db, "one");
    if (product === undefined) throw new Error("BUG: it was put");
    const left = (turn: object) => capacityLeftNow(world.db, { product, instanceIds: ["a"], ...turn });
    expect([await left({}), await left(beforeAll)]).toEqual([[], [{ region: "north", fits: 1 }]]);
  });
});
