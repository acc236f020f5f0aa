// The order in which waiting launches are placed: that of arrival, and by fair share.

import { beforeEach, describe, expect, it } from "vitest";
import { Waiting } from "../../../test/support/waiting.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { waitBounds } from "../../rules/waiting-launches.ts";
import type { Principal } from "../service.ts";
import type { WaitingLaunch } from "./waiting-launch.ts";

const world = worldOfFile();
let ann: Principal;
let bob: Principal;
let eve: Principal;
let tenant: Principal;

const inOrder = new Waiting(world);
const fairly = new Waiting(world, { ...waitBounds, isFair: true });

beforeEach(async () => {
  await world.image();
  await world.host({ name: "a", gpus: 4 });
  for (const gpus of [1, 2, 4]) await world.product({ name: `of ${gpus}`, gpus });
  [ann, bob, eve, tenant] = (await Promise.all([1, 2, 3, 4].map(() => inOrder.customer()))) as [
    Principal,
    Principal,
    Principal,
    Principal,
  ];
});

const one = { instanceType: "of 1" };

/** Asks, when all GPUs are taken, one after the other. */
async function ask(waiting: Waiting, asked: readonly (readonly [Principal, { instanceType: string }])[]) {
  const launches: WaitingLaunch[] = [];
  for (const [who, part] of asked) launches.push(await waiting.waits(who, part));
  return launches;
}

/** The order of these, by what was said of them. */
async function orderOf(named: Readonly<Record<string, WaitingLaunch | undefined>>): Promise<string[]> {
  const now = await Promise.all(
    Object.entries(named).map(async ([name, launch]) => {
      if (launch === undefined) throw new Error(`there is no ${name}`);
      return { name, position: (await inOrder.now(launch)).position };
    }),
  );
  return now.sort((a, b) => a.position - b.position).map(({ name }) => name);
}

async function takeAll(): Promise<string> {
  return only(await world.launch(tenant, { instanceType: "of 4" })).id;
}

describe("launches that wait", () => {
  it("are placed in order of arrival, if the operator has not set fair share", async () => {
    await takeAll();
    const [a, b, c, d] = await ask(inOrder, [
      [ann, one],
      [ann, one],
      [bob, one],
      [ann, one],
    ]);
    expect(await orderOf({ a, b, c, d })).toEqual(["a", "b", "c", "d"]);
  });

  it("take turns by account with fair share, GPU by GPU", async () => {
    const running = await takeAll();
    const [ann1, ann2, ann3, bob1, bob2, eve1] = await ask(fairly, [
      [ann, one],
      [ann, one],
      [ann, one],
      [bob, { instanceType: "of 2" }],
      [bob, one],
      [eve, one],
    ]);
    const expected = ["ann1", "bob1", "eve1", "ann2", "ann3", "bob2"];
    expect(await orderOf({ ann1, ann2, ann3, bob1, bob2, eve1 })).toEqual(expected);
    await inOrder.end(tenant, running);
    await inOrder.place();
    const states = await Promise.all([ann1, bob1, eve1, ann2].map(async (launch) => launch && inOrder.stateOf(launch)));
    expect(states).toEqual(["placed", "placed", "placed", "waiting for capacity"]);
  });

  it("save no turns up with fair share: one that comes later begins with the turn that is served", async () => {
    await takeAll();
    const [ann1, ann2, ann3] = await ask(fairly, [
      [ann, one],
      [ann, one],
      [ann, one],
    ]);
    await world.host({ name: "b", gpus: 1 });
    await inOrder.place();
    expect(ann1 && (await inOrder.stateOf(ann1))).toBe("placed");
    const [bob1, bob2] = await ask(fairly, [
      [bob, one],
      [bob, one],
    ]);
    expect(await orderOf({ ann2, ann3, bob1, bob2 })).toEqual(["ann2", "bob1", "ann3", "bob2"]);
  });

  it("take turns for spot instances among themselves with fair share", async () => {
    await world.product({ name: "cheap", gpus: 1, spotPriceCentsPerHour: 30 });
    const spot = { instanceType: "cheap", spot: true };
    await takeAll();
    const [, annSpot1, annSpot2, , , bobSpot] = await ask(fairly, [
      [ann, one],
      [ann, spot],
      [ann, spot],
      [bob, one],
      [bob, one],
      [bob, spot],
    ]);
    expect(await orderOf({ annSpot1, annSpot2, bobSpot })).toEqual(["annSpot1", "bobSpot", "annSpot2"]);
  });

  it("are behind all that wait already when the operator goes back to the order of arrival", async () => {
    await takeAll();
    const [ann1, ann2] = await ask(fairly, [
      [ann, { instanceType: "of 4" }],
      [ann, one],
    ]);
    const [bob1] = await ask(inOrder, [[bob, one]]);
    const [eve1] = await ask(fairly, [[eve, one]]);
    expect(await orderOf({ ann1, ann2, bob1, eve1 })).toEqual(["ann1", "eve1", "ann2", "bob1"]);
  });

  it("have positions of their own with fair share when many accounts come at once", async () => {
    await takeAll();
    const customers = await Promise.all(Array.from({ length: 8 }, () => inOrder.customer()));
    const launches = await Promise.all(customers.flatMap((who) => [fairly.waits(who, one), fairly.waits(who, one)]));
    const positions = new Set(launches.map(({ position }) => position));
    expect(positions.size).toBe(16);
    const turns = [...positions].map((position) => Math.floor(position / 2 ** 20)).sort((a, b) => a - b);
    expect(turns.map((turn) => turn - (turns[0] ?? 0))).toEqual([...Array(8).fill(0), ...Array(8).fill(1)]);
  });
});
