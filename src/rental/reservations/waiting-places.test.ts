// Reservations beside launches that wait: none is made that would let one of them wait longer, and what they do not need can
// be reserved.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { inHours, type Reserve, reserve, slotsOf } from "../../../test/support/reservations.ts";
import { type Part, Waiting } from "../../../test/support/waiting.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { Principal } from "../service.ts";
import { reservationCalendar } from "./calendar.ts";
import { quoteReservation } from "./quote.ts";

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
  ] as const)
    await world.product({ name, gpus, vcpus: 8 * gpus, spotPriceCentsPerHour: 10 });
  [ann, bob] = [await waiting.customer(), await waiting.customer()];
});

/** Hosts of 8 GPUs, each with an instance for each of these hours after which it ends; undefined: without end. */
async function full(hosts: Readonly<Record<string, readonly (number | undefined)[]>>, region = "north") {
  const nowMs = Date.now();
  const live: { readonly id: string; readonly host: string }[] = [];
  for (const [name, ends] of Object.entries(hosts)) {
    await world.host({ name, gpus: 8, region });
    const instances = await world.launch(bob, { instanceType: "one", quantity: ends.length, region });
    for (const [index, { id, host }] of instances.entries()) {
      live.push({ id, host });
      const hours = ends[index];
      if (hours === undefined) continue;
      await sql`
        update instances set state = 'active', active_at = now(), max_lifetime_seconds = ${hours * 3600},
          expires_at = ${new Date(nowMs + hours * 3_600_000)} where id = ${id}`.execute(world.db);
    }
  }
  return live;
}

const all = (hours: number | undefined) => Array.from({ length: 8 }, () => hours);
const waits = (part: Part, hours = 100) => waiting.waits(ann, part, hours * 3600);
const make = (more: Partial<Reserve>) => reserve(world, bob, { instanceType: "one", from: 10, to: 20, ...more });
const refused = (more: Partial<Reserve>) => refusal("insufficient-capacity", make(more));

describe("a launch that waits", () => {
  it("gets what becomes free, whatever is reserved meanwhile for later", async () => {
    const live = await full({ a: all(0.02) });
    const launch = await waits({ instanceType: "one" });
    const { reservation, regionsWithCapacity } = await refused({ from: 0.5, quantity: 8 });
    expect(reservation).toMatchObject({ isWaitedFor: true });
    expect(regionsWithCapacity).toEqual([{ region: "north", fits: 7 }]);
    for (const from of [0.5, 30, 60]) await make({ from, to: from + 10, quantity: 7 });
    for (const { id } of live) await waiting.end(bob, id);
    await waiting.place();
    expect(await waiting.stateOf(launch)).toBe("placed");
  });

  it("needs its own place only, in its region", async () => {
    await full({ a: all(1), b: all(1) });
    await full({ c: all(1) }, "south");
    await waits({ instanceType: "one", region: "north" });
    await refused({ quantity: 16, region: "north" });
    await make({ quantity: 15, region: "north" });
    await make({ quantity: 8, region: "south" });
  });

  it("has the host that is free first, and reservations the others", async () => {
    await full({ a: all(1), b: all(5), c: all(3) });
    await waits({ instanceType: "eight" });
    await waits({ instanceType: "eight" });
    expect(await slotsOf(world, (await make({ quantity: 2, instanceType: "four" })).id)).toEqual({ b: 2 });
    await refused({ quantity: 1 });
  });

  it("is kept off by no slots for which its host has too little when it could be placed", async () => {
    const live = await full({ a: [1, 5, 5, 5, 5, 5, 5, 5] });
    const launch = await waits({ instanceType: "one" });
    await refused({ quantity: 1 });
    await sql`update instances set expires_at = ${inHours(1)}`.execute(world.db);
    await make({ quantity: 7 });
    for (const { id } of live) await waiting.end(bob, id);
    await waiting.place();
    expect(await waiting.stateOf(launch)).toBe("placed");
  });

  it("is kept off by none that begins before it could be placed and lasts longer", async () => {
    await full({ a: [8, 8, 8, 8] });
    await waits({ instanceType: "eight" });
    await refused({ instanceType: "four", from: 3, to: 20 });
    await make({ instanceType: "four", from: 3, to: 7.9 });
  });

  it("is counted until it has surely ended", async () => {
    await full({ a: all(1) });
    await waits({ instanceType: "one", maxLifetimeSeconds: 3600 }, 5);
    await refused({ from: 6.4, quantity: 8 });
    await make({ from: 6.5, quantity: 8 });
  });

  it("is not counted where nothing is free before its wait is over", async () => {
    await full({ a: all(6) });
    await waits({ instanceType: "one" }, 5);
    await make({ quantity: 8 });
  });

  it("is not counted for spot instances, or while its quota blocks it", async () => {
    await full({ a: all(1) });
    await waits({ instanceType: "one", spot: true });
    const blocked = await waits({ instanceType: "one" });
    await refused({ quantity: 8 });
    await sql`update waiting_launches set blocked_by = 'quota' where id = ${blocked.id}`.execute(world.db);
    await make({ quantity: 8 });
  });

  it("is not counted on hosts that it cannot use", async () => {
    await full({ a: all(1), b: all(5) });
    await waits({ instanceType: "eight" });
    await sql`update launch_lines set bound = '{"host": "b"}'`.execute(world.db);
    expect(await slotsOf(world, (await make({ quantity: 8 })).id)).toEqual({ a: 8 });
    await refused({ quantity: 1 });
  });

  it("takes nothing where it does not surely fit", async () => {
    await full({ a: [undefined, 1, 1, 1, 1, 1, 1, 1] });
    await waits({ instanceType: "eight" });
    await make({ quantity: 7 });
  });

  it("has the host that is kept for it, if that is free as soon as others", async () => {
    await full({ a: all(1), b: all(1) });
    const launch = await waits({ instanceType: "eight" });
    await sql`
      update hosts set earmarked_for = ${launch.id}, earmark_position = ${launch.position} where name = 'a'`.execute(
      world.db,
    );
    await make({ quantity: 8 });
    await refused({ quantity: 1 });
  });

  it("of many instances leaves what it does not need, also of what is free now", async () => {
    await full({ b: all(1), a: [1, 1] });
    await waits({ instanceType: "one", quantity: 9 });
    await refused({ quantity: 8 });
    expect(await slotsOf(world, (await make({ quantity: 7 })).id)).toEqual({ b: 7 });
  });
});

it("calendar and quote show what launches that wait leave", async () => {
  await full({ a: all(1) });
  await waits({ instanceType: "one" });
  const order = { instanceType: "one", region: "any", from: inHours(10), to: inHours(12) };
  const { regions } = await reservationCalendar(world.db, world.service, order);
  expect(regions.map(({ steps }) => steps.map(({ available }) => available))).toEqual([[7]]);
  const quoted = (quantity: number) => quoteReservation(world.db, world.service, { ...order, quantity });
  expect(await quoted(8)).toMatchObject({ region: undefined, regionsWithCapacity: [{ region: "north", fits: 7 }] });
  expect(await quoted(7)).toMatchObject({ region: "north" });
});
