// Many waiting launches of one account that the same keeps from being placed: they keep others off no longer than one does.
// And what may be placed, though the service fails at it.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { type Part, Waiting } from "../../../test/support/waiting.ts";
import { launchOrder, only, worldOfFile } from "../../../test/support/world.ts";
import { changeAccount } from "../accounts/account-store.ts";
import { revokeToken } from "../accounts/token-store.ts";
import { openLaunchSecrets } from "../instances/launch-secrets.ts";
import { deleteUnusedUserData } from "../instances/past-instances.ts";
import type { Principal } from "../service.ts";
import { orderContext, type WaitingLaunch } from "./waiting-launch.ts";

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

const many = async (principal: Principal, part: Part, count = 5) => {
  const launches: WaitingLaunch[] = [];
  for (let n = 0; n < count; n++) launches.push(await waiting.waits(principal, part));
  return launches;
};
const states = (launches: readonly WaitingLaunch[]) => Promise.all(launches.map((one) => waiting.stateOf(one)));
const allDue = () => sql`update waiting_launches set next_try_at = now() where state = 'waiting'`.execute(world.db);
const setQuota = (principal: Principal, gpus: number) =>
  world.tx((tx) => changeAccount(tx, principal.accountId, { quotas: { gpus } }));

describe("launches that their quota does not allow", () => {
  it("have it in order of arrival, whether capacity or the quota blocked them", async () => {
    await world.product({ name: "none", gpus: 0 });
    const running = only(await world.launch(bob, { instanceType: "two" }));
    const own = only(await world.launch(ann, { instanceType: "none" }));
    await world.tx((tx) => changeAccount(tx, ann.accountId, { quotas: { instances: 1 } }));
    const first = await waiting.waits(ann, { instanceType: "two" });
    const second = await waiting.waits(ann, { instanceType: "none" });
    expect(await states([first, second])).toEqual(["waiting for capacity", "waiting for quota"]);
    await waiting.end(bob, running.id);
    await waiting.end(ann, own.id);
    await waiting.place();
    expect(await states([first, second])).toEqual(["placed", "waiting for quota"]);
  });

  it("have what is left of it behind a larger one, before what came later", async () => {
    const running = only(await world.launch(bob, { instanceType: "two" }));
    await setQuota(ann, 0);
    const own: WaitingLaunch[] = [];
    for (const instanceType of ["one", "two", "one"]) own.push(await waiting.waits(ann, { instanceType }));
    const last = await waiting.waits(bob, { instanceType: "one" });
    await waiting.place();
    await setQuota(ann, 2);
    await waiting.end(bob, running.id);
    await waiting.place();
    expect(await states(own)).toEqual(["placed", "waiting for quota", "placed"]);
    expect(await waiting.stateOf(last)).toBe("waiting for capacity");
  });

  it("are tried again when it was freed while they were being found to exceed it", async () => {
    const running = only(await world.launch(bob, { instanceType: "one" }));
    const own = only(await world.launch(ann, { instanceType: "one" }));
    const launches = await many(ann, { instanceType: "one" }, 2);
    await setQuota(ann, 1);
    await waiting.end(bob, running.id);
    let hasEnded = false;
    await waiting.place(async (point, pass) => {
      if (point === "launchNotPlaced" && !hasEnded) {
        hasEnded = true;
        await waiting.end(ann, own.id);
      }
      return pass();
    });
    expect(hasEnded).toBe(true);
    await waiting.place();
    expect(await states(launches)).toEqual(["placed", "waiting for quota"]);
  });

  it("leave hosts that were kept for them, though another one of them was tried", async () => {
    only(await world.launch(bob, { instanceType: "one" }));
    const large = await waiting.waits(ann, { instanceType: "two" });
    await waiting.place();
    await world.host({ name: "b", gpus: 1 });
    const kept = () => world.db.selectFrom("hosts").select("name").where("earmarked_for", "=", large.id).execute();
    expect(await kept()).toHaveLength(1);
    await setQuota(ann, 0);
    const small = await waiting.waits(ann, { instanceType: "one" });
    expect(await states([large, small])).toEqual(["waiting for capacity", "waiting for quota"]);
    await waiting.place();
    expect(await states([large, small])).toEqual(["waiting for quota", "waiting for quota"]);
    expect(await kept()).toEqual([]);
  });

  it("leave it to smaller ones when it has no room for them", async () => {
    await world.host({ name: "b", gpus: 4 });
    const own = only(await world.launch(ann, { instanceType: "two" }));
    await setQuota(ann, 2);
    const [large, small] = [
      await waiting.waits(ann, { instanceType: "two" }),
      await waiting.waits(ann, { instanceType: "one" }),
    ];
    await waiting.end(ann, own.id);
    await world.launch(ann, { instanceType: "one" });
    await waiting.place();
    expect(await states([large, small])).toEqual(["waiting for quota", "placed"]);
  });

  it("keep others off no longer than the first of them is tried, whatever their size", async () => {
    const running = only(await world.launch(bob, { instanceType: "two" }));
    const first = await waiting.waits(ann, { instanceType: "one" });
    const others = [
      ...(await many(ann, { instanceType: "one" })),
      ...(await many(ann, { instanceType: "two" })),
      ...(await many(ann, { instanceType: "one", quantity: 2 })),
    ];
    const last = await waiting.waits(bob, { instanceType: "one" });
    await setQuota(ann, 1);
    await waiting.end(bob, running.id);
    await waiting.place();
    expect(await states([first, last])).toEqual(["placed", "placed"]);
    expect(new Set(await states(others))).toEqual(new Set(["waiting for quota"]));
  });

  it("do not keep others off when they are tried while there is no capacity either", async () => {
    const running = only(await world.launch(bob, { instanceType: "two" }));
    const launches = await many(ann, { instanceType: "one" });
    await setQuota(ann, 0);
    await allDue();
    await waiting.place();
    expect(new Set(await states(launches))).toEqual(new Set(["waiting for quota"]));
    await allDue();
    await waiting.place();
    expect(new Set(await states(launches))).toEqual(new Set(["waiting for quota"]));
    await waiting.end(bob, running.id);
    await world.launch(bob, { instanceType: "two" });
  });

  it("are placed when the quota has room for them", async () => {
    const running = only(await world.launch(bob, { instanceType: "two" }));
    const launches = await many(ann, { instanceType: "one" }, 3);
    await setQuota(ann, 0);
    await waiting.end(bob, running.id);
    await waiting.place();
    await setQuota(ann, 2);
    await waiting.place();
    expect(await states(launches)).toEqual(["placed", "placed", "waiting for quota"]);
  });
});

it("launches that a spend limit does not allow keep others off no longer than the first of them is tried", async () => {
  const carl = await waiting.customer({}, 1_000_000);
  const running = only(await world.launch(bob, { instanceType: "two" }));
  const launches = await many(carl, { instanceType: "one" });
  const last = await waiting.waits(bob, { instanceType: "two" });
  await sql`update tokens set spend_limit_cents = 0 where id = ${carl.tokenId}`.execute(world.db);
  await waiting.end(bob, running.id);
  await waiting.place();
  expect(await states([last])).toEqual(["placed"]);
  expect(new Set(await states(launches))).toEqual(new Set(["waiting for spend-limit"]));
});

it.each(["revoked", "inactive"] as const)(
  "all launches of a token are refused at once when it is revoked, or its account is inactive: %s",
  async (how) => {
    await world.launch(bob, { instanceType: "two" });
    const launches = [...(await many(ann, { instanceType: "one" })), ...(await many(ann, { instanceType: "two" }))];
    if (how === "revoked") await world.tx((tx) => revokeToken(tx, ann.accountId, ann.tokenId));
    else await world.tx((tx) => changeAccount(tx, ann.accountId, { status: "inactive" }));
    await waiting.place();
    expect(new Set(await states(launches))).toEqual(new Set(["refused"]));
  },
);

it("a lifetime that its account's maximum has changed counts as it is now", async () => {
  const running = only(await world.launch(bob, { instanceType: "two" }));
  await world.tx((tx) => changeAccount(tx, ann.accountId, { maxLifetimeSeconds: 600 }));
  const launch = await waiting.waits(ann, { instanceType: "one" });
  const stored = async () => {
    const query = world.db.selectFrom("waiting_launches").select("max_lifetime_seconds").where("id", "=", launch.id);
    return (await query.executeTakeFirstOrThrow()).max_lifetime_seconds;
  };
  expect(await stored()).toBe(600);
  await world.tx((tx) => changeAccount(tx, ann.accountId, { maxLifetimeSeconds: null }));
  await waiting.place();
  expect(await stored()).toBeNull();
  await world.tx((tx) => changeAccount(tx, ann.accountId, { maxLifetimeSeconds: 1200 }));
  await waiting.place();
  expect(await stored()).toBe(1200);
  await waiting.end(bob, running.id);
  await waiting.place();
  expect(await waiting.stateOf(launch)).toBe("placed");
});

it("a launch with the user data of another instance has it also when that is gone", async () => {
  const userData = "#cloud-config\n";
  const model = only(await world.launch(ann, { instanceType: "two", userData }));
  const { user_data_id: userDataId } = await world.db
    .selectFrom("instances")
    .select("user_data_id")
    .where("id", "=", model.id)
    .executeTakeFirstOrThrow();
  const launch = await waiting.waits(ann, { instanceType: "one", userDataId: userDataId ?? "" });
  await waiting.end(ann, model.id);
  await sql`update instances set user_data_id = null where id = ${model.id}`.execute(world.db);
  await deleteUnusedUserData(world.db, new AbortController().signal);
  await waiting.place();
  const [id = ""] = (await waiting.now(launch)).instanceIds;
  const row = await world.db.selectFrom("instances").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  expect((await openLaunchSecrets(world.db, world.service.keyRing, row)).userData).toBe(userData);
});

it("a launch at which the service fails is refused, and keeps others off no longer", async () => {
  const running = only(await world.launch(bob, { instanceType: "two" }));
  const launch = await waiting.waits(ann, { instanceType: "one" });
  const next = await waiting.waits(bob, { instanceType: "one" });
  const broken = { ...launchOrder({ instanceType: "one" }), userDataId: randomUUID() };
  const sealed = world.service.keyRing.seal(JSON.stringify(broken), orderContext(launch.id));
  await sql`update waiting_launches set order_sealed = ${sealed} where id = ${launch.id}`.execute(world.db);
  await waiting.end(bob, running.id);
  const placer = waiting.placer();
  const run = () => placer.run(new AbortController().signal);
  for (let n = 0; n < 3; n++) await expect(run()).rejects.toMatchObject({ code: "23503" });
  expect(await waiting.now(launch)).toMatchObject({ state: "refused", reason: expect.stringContaining("internal") });
  await run();
  expect(await waiting.stateOf(next)).toBe("placed");
});
