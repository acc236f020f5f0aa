// When a launch of several instances is expected to fit, and what may use meanwhile what it waits for.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { Waiting } from "../../../test/support/waiting.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { changeLifetime } from "../instances/change-lifetime.ts";
import type { Instance } from "../instances/instance.ts";
import type { Principal } from "../service.ts";
import type { WaitingLaunch } from "./waiting-launch.ts";
import { cancelWait } from "./waiting-store.ts";

const world = worldOfFile();
const waiting = new Waiting(world);
const hour = 3600;
let ann: Principal;
let bob: Principal;

beforeEach(async () => {
  await world.image();
  for (const [name, gpus] of [
    ["one", 1],
    ["two", 2],
    ["four", 4],
  ] as const) {
    await world.product({ name, gpus, vcpus: 8 * gpus });
  }
  [ann, bob] = [await waiting.customer(), await waiting.customer()];
});

/** Instances of 1 GPU that run, by the hours in which each ends; null: without an end. */
async function running(...hours: readonly (number | null)[]): Promise<Instance[]> {
  const instances = await world.launch(bob, { instanceType: "one", quantity: hours.length });
  for (const [index, { id }] of instances.entries()) {
    const ends = hours[index] ?? null;
    await sql`
      update instances set state = 'active', active_at = now(), max_lifetime_seconds = ${ends && ends * hour},
        expires_at = now() + make_interval(hours => ${ends}::integer) where id = ${id}`.execute(world.db);
  }
  return [...instances];
}

async function begins(instanceType: string, quantity: number, principal = ann): Promise<WaitingLaunch> {
  const launch = await waiting.waits(principal, { instanceType, quantity }, 12 * hour);
  await waiting.place();
  expect(await waiting.stateOf(launch)).toBe("waiting for capacity");
  return launch;
}

/** Hours until it is expected to fit, rounded. */
async function startOf(launch: WaitingLaunch): Promise<number | undefined> {
  const { expectedAt } = await waiting.now(launch);
  return expectedAt === null ? undefined : Math.round((expectedAt.getTime() - Date.now()) / (hour * 1000));
}

const small = (hours?: number) =>
  world.launch(bob, { instanceType: "one", ...(hours !== undefined && { maxLifetimeSeconds: hours * hour }) });
const refused = (hours?: number) => expect(small(hours)).rejects.toMatchObject({ kind: "insufficient-capacity" });

describe("a launch of several instances", () => {
  it("is expected to fit when so many places are free as it needs, of those whose end is known", async () => {
    await world.host({ name: "a", gpus: 4 });
    await world.host({ name: "b", gpus: 4 });
    await running(1, 2, 3, 4, null, null);
    expect(await startOf(await begins("one", 4))).toBe(2);
  });

  it("has no such time where too few ends are known, or in one region only if that is too small", async () => {
    await world.host({ name: "a", gpus: 4 });
    await running(1, null, null, null);
    await world.host({ name: "b", gpus: 2, region: "elsewhere" });
    expect(await startOf(await begins("one", 3))).toBeUndefined();
    await refused(1);
  });

  it("is passed only by launches that end before, whether they come then or wait already", async () => {
    await world.host({ name: "a", gpus: 4 });
    const [first] = await running(3, 3, 3, 3);
    const launch = await begins("one", 4);
    await waiting.end(bob, first?.id ?? "");
    await refused();
    await refused(3);
    await small(2);
    await refused(1);
    const short = await waiting.waits(bob, { instanceType: "one", maxLifetimeSeconds: hour });
    await waiting.place();
    expect(await waiting.stateOf(short)).toBe("waiting for capacity");
    const [one] = await world.db
      .selectFrom("instances")
      .select("id")
      .where("max_lifetime_seconds", "=", 2 * hour)
      .execute();
    await waiting.end(bob, one?.id ?? "");
    // What waits comes before what comes then.
    await refused(1);
    await waiting.place();
    expect(await waiting.stateOf(short)).toBe("placed");
    expect(await waiting.stateOf(launch)).toBe("waiting for capacity");
    await auditCapacity(world.db);
  });

  it("is passed by no spot instance, and by none once its time has come", async () => {
    await world.product({ name: "cheap", gpus: 1, vcpus: 8, spotPriceCentsPerHour: 1 });
    await world.host({ name: "a", gpus: 4 });
    const [first] = await running(2, 2, 2, null);
    const launch = await begins("one", 3);
    await waiting.end(bob, first?.id ?? "");
    await expect(
      world.launch(bob, { instanceType: "cheap", spot: true, maxLifetimeSeconds: 60 }),
    ).rejects.toMatchObject({ kind: "insufficient-capacity" });
    expect(await startOf(launch)).toBe(2);
    await travel(world.db, "3 hours");
    await waiting.place();
    // What should have ended has not, and it is not told another time.
    expect(await waiting.now(launch)).toMatchObject({ state: "waiting", expectedAt: null });
    await refused(1);
  });

  it("is expected earlier when others end earlier, and never later", async () => {
    await world.host({ name: "a", gpus: 4 });
    const [first] = await running(2, 3, 4, 5);
    const allEndIn = (hours: number) =>
      sql`update instances set expires_at = now() + make_interval(hours => ${hours})`.execute(world.db);
    const launch = await begins("one", 3);
    expect(await startOf(launch)).toBe(4);
    await waiting.end(bob, first?.id ?? "");
    await waiting.place();
    expect(await startOf(launch)).toBe(4);
    await allEndIn(9);
    await waiting.place();
    expect(await startOf(launch)).toBe(4);
    await allEndIn(1);
    await waiting.place();
    expect(await startOf(launch)).toBe(1);
  });

  it("is not kept waiting by one that passed it, and would have a longer lifetime", async () => {
    await world.host({ name: "a", gpus: 4 });
    const [first] = await running(5, 5, 5, 5);
    const launch = await begins("two", 2);
    await waiting.end(bob, first?.id ?? "");
    const [late] = await small(1);
    const longer = (seconds: number | null) =>
      world.tx((tx) => changeLifetime(tx, world.service, bob, late?.id ?? "", seconds));
    for (const seconds of [6 * hour, null]) {
      await expect(longer(seconds)).rejects.toMatchObject({ kind: "invalid-parameters" });
    }
    expect(await longer(2 * hour)).toMatchObject({ maxLifetimeSeconds: 2 * hour });
    await world.tx((tx) => cancelWait(tx, ann, launch.id));
    await waiting.place();
    expect(await longer(null)).toMatchObject({ maxLifetimeSeconds: null });
  });

  it("of whole hosts is passed on the host that is free already", async () => {
    await world.host({ name: "a", gpus: 4 });
    await world.host({ name: "b", gpus: 4 });
    const instances = await running(4, 4, 4, 4, 4, 4, 4, 4);
    const launch = await begins("four", 2);
    for (const { id } of instances.filter(({ host }) => host === "a")) await waiting.end(bob, id);
    await waiting.place();
    expect(await waiting.stateOf(launch)).toBe("waiting for capacity");
    expect(await small(3)).toMatchObject([{ host: "a" }]);
    await refused(5);
    await refused();
  });
});
