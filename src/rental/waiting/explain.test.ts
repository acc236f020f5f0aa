// What a waiting launch is said to wait for.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { reserve } from "../../../test/support/reservations.ts";
import { Waiting } from "../../../test/support/waiting.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import type { Principal } from "../service.ts";
import { explainWait } from "./explain.ts";
import type { WaitingLaunch } from "./waiting-launch.ts";
import { cancelWait } from "./waiting-store.ts";

const world = worldOfFile();
const waiting = new Waiting(world);
let ann: Principal;
let bob: Principal;

beforeEach(async () => {
  await world.image();
  await world.host({ name: "a", gpus: 4 });
  for (const gpus of [1, 2, 4, 8]) await world.product({ name: `of ${gpus}`, gpus });
  [ann, bob] = [await waiting.customer(), await waiting.customer()];
});

const region = "Region north";
const explained = async (launch: WaitingLaunch) => explainWait(world.db, world.service, await waiting.now(launch));

describe("a launch that waits for capacity", () => {
  it("is told what its region has, and what comes before it", async () => {
    await world.launch(bob, { instanceType: "of 1" });
    const first = await waiting.waits(bob, { instanceType: "of 4" });
    const second = await waiting.waits(ann, { instanceType: "of 2", quantity: 2 });
    const noRoom = "No host in region north has room for an instance; the most free GPUs on one host are 3 of 4.";
    expect(await explained(first)).toEqual(["insufficient-capacity", noRoom]);
    const [, before, here, ...rest] = await explained(second);
    expect(before).toMatch(/^One launch for GPUs of model \S+ comes before it\.$/);
    expect([here, ...rest]).toEqual([`${region} has room for 1 of 2 instances.`]);
  });

  it("is told of room that earlier launches wait for", async () => {
    const running = only(await world.launch(bob, { instanceType: "of 4" }));
    await waiting.waits(bob, { instanceType: "of 4" });
    const later = await waiting.waits(ann, { instanceType: "of 1" });
    await waiting.end(bob, running.id);
    expect(await explained(later)).toContain(`${region} has room for it, which launches before it wait for.`);
  });

  it("is told of room that is promised to reservations, which what ends before them can use", async () => {
    await reserve(world, ann, { instanceType: "of 4", from: 5, to: 10 });
    const endless = await waiting.waits(bob, { instanceType: "of 1" });
    expect(await explained(endless)).toContain(`${region} has room for it, which is promised to reservations.`);
    const short = await waiting.customer();
    await world.launch(short, { instanceType: "of 1", maxLifetimeSeconds: 3600 });
  });

  it("is told of the host that is kept for it, and when it is expected to be free", async () => {
    const running = only(await world.launch(bob, { instanceType: "of 1", maxLifetimeSeconds: 3600 }));
    const at = "2099-01-01T00:00:00Z";
    await sql`update instances set expires_at = ${at} where id = ${running.id}`.execute(world.db);
    const launch = await waiting.waits(ann, { instanceType: "of 4" });
    await waiting.place();
    expect(await explained(launch)).toContain("A host is kept for it, expected to be free at 2099-01-01T00:00Z.");
    await sql`update instances set expires_at = null`.execute(world.db);
    await sql`update hosts set earmark_from = null`.execute(world.db);
    expect(await explained(launch)).toContain("A host is kept for it, when it is free is not known.");
  });

  it("of several instances is told when all of it is expected to fit", async () => {
    await world.launch(bob, { instanceType: "of 1", quantity: 4 });
    await sql`update instances set expires_at = '2099-01-01T00:00:00Z', max_lifetime_seconds = 60`.execute(world.db);
    const launch = await waiting.waits(ann, { instanceType: "of 1", quantity: 2 });
    await waiting.place();
    expect(await explained(launch)).toContain(
      "By when other instances end, it is expected to fit at 2099-01-01T00:00Z.",
    );
  });

  it("is told of the spot instances that are evicted for it, and of the hosts that they leave to it", async () => {
    await world.host({ name: "b", gpus: 4 });
    await world.product({ name: "cheap", gpus: 2, spotPriceCentsPerHour: 30 });
    await world.launch(bob, { instanceType: "cheap", quantity: 4, spot: true });
    const launch = await waiting.waits(ann, { instanceType: "of 2", quantity: 3 });
    await waiting.evict();
    const [evicted, kept] = await explained(launch);
    expect(evicted).toMatch(/^insufficient-capacity 3 spot instances are being evicted for it, by \S+Z\.$/);
    expect(kept).toMatch(/^2 hosts are kept for it, expected to be free at \S+Z\.$/);
  });

  it("for spot instances is told of room that launches at the full price wait for", async () => {
    await world.product({ name: "cheap", gpus: 1, spotPriceCentsPerHour: 30 });
    const running = only(await world.launch(bob, { instanceType: "of 4" }));
    const spot = await waiting.waits(ann, { instanceType: "cheap", spot: true });
    await waiting.waits(bob, { instanceType: "of 4" });
    await waiting.end(bob, running.id);
    const [, before, here] = await explained(spot);
    expect(before).toMatch(/^One launch for GPUs of model \S+ comes before it\.$/);
    expect(here).toBe(`${region} has room for it, which launches before it wait for.`);
  });

  it("is told of a region without any host for it, and of each region if it names none", async () => {
    await world.host({ name: "b", region: "south", gpus: 8 });
    await world.launch(bob, { instanceType: "of 8" });
    const launch = await waiting.waits(ann, { instanceType: "of 8" });
    const [, north, south] = await explained(launch);
    expect(north).toBe(`${region} has no host for this instance type that accepts instances.`);
    expect(south).toBe("No host in region south has room for an instance; the most free GPUs on one host are 0 of 8.");
  });

  it("is told of GPUs that are expected back", async () => {
    await world.launch(bob, { instanceType: "of 4" });
    const launch = await waiting.waits(ann, { instanceType: "of 1" });
    const one = sql`where address = (select min(address) from gpus)`;
    await sql`update gpus set instance_id = null ${one}`.execute(world.db);
    await sql`update gpus set state = 'sanitizing' ${one}`.execute(world.db);
    expect((await explained(launch)).at(-1)).toBe(
      "One GPU of the model in region north is being reset or validated, with no estimate when.",
    );
  });
});

it("a launch that no host could ever have is told so instead of waiting for capacity, until there is such a host", async () => {
  const launch = await waiting.waits(ann, { instanceType: "of 8", region: "north" });
  const none =
    "There is no host for of 8 in region north: none could have it, even if it were empty. It waits until one is added.";
  expect(launch).toMatchObject({ blockedBy: "fleet", blockedMessage: none });
  expect(await explained(launch)).toEqual([none]);
  await waiting.place();
  expect(await waiting.now(launch)).toMatchObject({ blockedBy: "fleet", blockedMessage: none });
  await world.host({ name: "b", gpus: 8 });
  await waiting.place();
  expect(await waiting.now(launch)).toMatchObject({ state: "placed" });
});

it("a launch is told so as well when the only host that could have it is lost while it waits", async () => {
  await world.launch(bob, { instanceType: "of 4" });
  const launch = await waiting.waits(ann, { instanceType: "of 4" });
  expect(launch.blockedBy).toBe("capacity");
  await sql`update hosts set mode = 'lost'`.execute(world.db);
  await sql`update waiting_launches set next_try_at = now()`.execute(world.db);
  await waiting.place();
  expect(await waiting.now(launch)).toMatchObject({ blockedBy: "fleet" });
});

it("a launch that something else blocks is told that alone, and one that is over nothing", async () => {
  const poor = await waiting.customer({ quotas: { gpus: 0 } });
  const launch = await waiting.waits(poor, { instanceType: "of 1" });
  expect(await explained(launch)).toEqual(["quota-exceeded"]);
  await world.tx((tx) => cancelWait(tx, poor, launch.id));
  expect(await explained(launch)).toEqual([]);
});
