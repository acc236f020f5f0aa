// Hosts that are kept for waiting launches: a launch of all GPUs of a host does not starve under a stream of small ones, and
// what is kept for it is used meanwhile by what ends in time, and given back.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { seeded } from "../../../test/support/random.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { Waiting } from "../../../test/support/waiting.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { changeHostMode } from "../hosts/change-mode.ts";
import { changeLifetime } from "../instances/change-lifetime.ts";
import type { Instance } from "../instances/instance.ts";
import type { Principal } from "../service.ts";
import { keepHosts } from "./earmarks.ts";
import type { WaitingLaunch } from "./waiting-launch.ts";
import { cancelWait } from "./waiting-store.ts";

const world = worldOfFile();
const waiting = new Waiting(world);
let ann: Principal;
let bob: Principal;

beforeEach(async () => {
  await world.image();
  for (const [name, gpus] of [
    ["one", 1],
    ["four", 4],
    ["eight", 8],
  ] as const) {
    await world.product({ name, gpus, vcpus: 8 * gpus });
  }
  [ann, bob] = [await waiting.customer(), await waiting.customer()];
});

/** The hosts are full of instances of 1 GPU; those of a host in a list that is given end in so many hours. */
async function full(hosts: Readonly<Record<string, readonly number[] | undefined>>): Promise<Instance[]> {
  for (const name of Object.keys(hosts)) await world.host({ name, gpus: 8 });
  const instances = await world.launch(bob, { instanceType: "one", quantity: 8 * Object.keys(hosts).length });
  for (const [name, hours] of Object.entries(hosts)) {
    const here = instances.filter(({ host }) => host === name);
    for (const [index, { id }] of here.entries()) {
      const ends = hours?.[index % hours.length];
      if (ends !== undefined) await endsIn(id, ends);
    }
  }
  return [...instances];
}

/** It runs, and its lifetime ends in so many hours. */
async function endsIn(id: string, hours: number): Promise<void> {
  await sql`
    update instances set state = 'active', active_at = now(), max_lifetime_seconds = ${hours * 3600},
      expires_at = now() + make_interval(hours => ${hours}) where id = ${id}`.execute(world.db);
}

const small = (part: { maxLifetimeSeconds?: number } = {}) => world.launch(bob, { instanceType: "one", ...part });
const refused = (part?: { maxLifetimeSeconds?: number }) =>
  expect(small(part)).rejects.toMatchObject({ kind: "insufficient-capacity" });

/** The names of hosts that are kept for it. */
async function keptFor({ id }: WaitingLaunch): Promise<string[]> {
  const query = world.db.selectFrom("hosts").select("name").where("earmarked_for", "=", id).orderBy("name");
  return (await query.execute()).map(({ name }) => name);
}

async function begins(instanceType: string, quantity = 1): Promise<WaitingLaunch> {
  const launch = await waiting.waits(ann, { instanceType, quantity });
  await waiting.place();
  expect(await waiting.stateOf(launch)).toBe("waiting for capacity");
  return launch;
}

describe("a launch of 8 GPUs", () => {
  it.each([
    ["known", [1, 2, 3]],
    ["not known", undefined],
  ])("is placed under a stream of launches of 1 GPU whose ends are %s", async (_ends, hours) => {
    const random = seeded();
    const live = await full({ a: hours, b: hours });
    const launch = await begins("eight");
    const [kept] = await keptFor(launch);
    let newcomers = 0;
    let rounds = 0;
    for (; (await waiting.stateOf(launch)) !== "placed"; rounds++) {
      // As fair as chance is, and with three who want each place that becomes free.
      const [ended] = live.splice(random.below(live.length), 1);
      if (ended === undefined) throw new Error("everything has ended, and it waits");
      await waiting.end(bob, ended.id);
      for (let robot = 0; robot < 3; robot++) {
        const [got] = await small().catch(() => []);
        if (got === undefined) continue;
        newcomers += 1;
        expect(got.host).not.toBe(kept);
        live.push(got);
      }
      await waiting.place();
      expect(await keptFor(launch)).toEqual((await waiting.stateOf(launch)) === "placed" ? expect.any(Array) : [kept]);
    }
    // Each end is on the kept host with a chance of a half at first, and less with each that has gone.
    expect(rounds).toBeLessThan(200);
    expect(newcomers).toBeGreaterThan(8);
    expect(newcomers).toBe(rounds - 8);
    await auditCapacity(world.db);
  });

  it("is not kept waiting by one that came later with a short lifetime, and would have a longer one", async () => {
    const [first] = await full({ a: [5] });
    const launch = await begins("eight");
    await waiting.end(bob, first?.id ?? "");
    const hours = (count: number) => count * 3600;
    const [late] = await small({ maxLifetimeSeconds: hours(1) });
    const longer = (seconds: number | null) =>
      world.tx((tx) => changeLifetime(tx, world.service, bob, late?.id ?? "", seconds));
    for (const seconds of [hours(6), null]) {
      await expect(longer(seconds)).rejects.toMatchObject({ kind: "invalid-parameters" });
    }
    expect(await longer(hours(2))).toMatchObject({ maxLifetimeSeconds: hours(2) });
    await world.tx((tx) => cancelWait(tx, ann, launch.id));
    await waiting.place();
    expect(await longer(null)).toMatchObject({ maxLifetimeSeconds: null });
  });

  it("would starve if no host was kept for it: then newcomers take each GPU that becomes free", async () => {
    const live = await full({ a: undefined });
    const launch = await waiting.waits(ann, { instanceType: "eight" });
    for (let round = 0; round < 20; round++) {
      await waiting.end(bob, live.shift()?.id ?? "");
      live.push(...(await small()));
    }
    expect(await waiting.stateOf(launch)).toBe("waiting for capacity");
  });

  it("has the host where it is expected to fit first, and says when", async () => {
    await full({ a: [5], b: [1, 2, 3], c: undefined });
    const launch = await begins("eight");
    expect(await keptFor(launch)).toEqual(["b"]);
    const { expectedAt } = await waiting.now(launch);
    expect(Math.abs((expectedAt?.getTime() ?? 0) - (Date.now() + 3 * 3_600_000))).toBeLessThan(60_000);
    expect((await waiting.now(launch)).ahead).toBe(0);
  });

  it("shares its host with newcomers that end before, and with no others", async () => {
    const instances = await full({ a: [4] });
    const launch = await begins("eight");
    for (const { id } of instances.slice(0, 3)) await waiting.end(bob, id);
    await waiting.place();
    await refused();
    await refused({ maxLifetimeSeconds: 5 * 3600 });
    expect(await small({ maxLifetimeSeconds: 3 * 3600 })).toMatchObject([{ host: "a" }]);
    await travel(world.db, "2 hours");
    await refused({ maxLifetimeSeconds: 3 * 3600 });
    expect(await small({ maxLifetimeSeconds: 3600 })).toMatchObject([{ host: "a" }]);
    await travel(world.db, "3 hours");
    // It should have been there by now: then nothing ends before.
    await refused({ maxLifetimeSeconds: 60 });
    expect(await waiting.stateOf(launch)).toBe("waiting for capacity");
  });

  it("shares its host with none where it is not known when it will be free", async () => {
    const instances = await full({ a: undefined });
    await begins("eight");
    await waiting.end(bob, instances[0]?.id ?? "");
    await refused({ maxLifetimeSeconds: 60 });
  });
});

describe("a host that is kept", () => {
  it.each(["cancelled", "expired"])("is given back when the launch is %s", async (how) => {
    const instances = await full({ a: undefined });
    const launch = await begins("eight");
    await waiting.end(bob, instances[0]?.id ?? "");
    await refused();
    if (how === "cancelled") await world.tx((tx) => cancelWait(tx, ann, launch.id));
    else await travel(world.db, "2 hours");
    await waiting.place();
    expect(await waiting.stateOf(launch)).toBe(how);
    expect(await keptFor(launch)).toEqual([]);
    expect(await small()).toMatchObject([{ host: "a" }]);
  });

  it("is given back when it is cordoned, and another is kept", async () => {
    await full({ a: [1], b: [9] });
    const launch = await begins("eight");
    expect(await keptFor(launch)).toEqual(["a"]);
    await world.tx((tx) => changeHostMode(tx, "a", { action: "cordon", reason: undefined, by: null }));
    await waiting.place();
    expect(await keptFor(launch)).toEqual(["b"]);
  });

  it("is kept for one launch, the others have other hosts, and what is left over has none", async () => {
    await full({ a: undefined, b: undefined });
    const [first, second] = [await begins("eight"), await begins("four")];
    await world.product({ name: "seven", gpus: 7, vcpus: 56 });
    const third = await begins("seven");
    const kept = [await keptFor(first), await keptFor(second), await keptFor(third)];
    expect(kept.map(({ length }) => length)).toEqual([1, 1, 0]);
    expect(new Set(kept.flat())).toEqual(new Set(["a", "b"]));
  });

  it("is one of as many as a launch has instances, whatever replicas keep hosts at once, all in one region", async () => {
    await full({ a: undefined, b: undefined });
    for (const name of ["s1", "s2", "s3"]) await world.host({ name, gpus: 8, region: "south" });
    const there = await world.launch(bob, { instanceType: "one", quantity: 24, region: "south" });
    // The single best host is in the north, and three of the same launch fit only in the south.
    const inNorth = world.db.selectFrom("instances").select("id").where("host", "=", "a");
    await waiting.end(bob, (await inNorth.executeTakeFirstOrThrow()).id);
    const launch = await waiting.waits(ann, { instanceType: "eight", quantity: 3 });
    await Promise.all([keepHosts(world.db), keepHosts(world.db), keepHosts(world.db)]);
    expect(await keptFor(launch)).toEqual(["s1", "s2", "s3"]);
    await Promise.all([waiting.place(), waiting.place(), waiting.place()]);
    expect(await keptFor(launch)).toEqual(["s1", "s2", "s3"]);
    for (const { id } of there) await waiting.end(bob, id);
    await waiting.place();
    expect(await waiting.stateOf(launch)).toBe("placed");
    await waiting.place();
    expect(await keptFor(launch)).toEqual([]);
  });
});
