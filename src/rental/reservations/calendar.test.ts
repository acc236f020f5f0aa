// The calendar of what can be reserved: what it shows of a step is admitted, and no more.

import { expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { inHours, reserve } from "../../../test/support/reservations.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { type CalendarOrder, reservationCalendar } from "./calendar.ts";

const world = worldOfFile();

async function setting() {
  const principal = await world.account();
  await world.host({ gpus: 4 });
  await world.host({ gpus: 1, region: "south" });
  await world.image();
  const { name: instanceType } = await world.product();
  const read = (more: Partial<CalendarOrder> = {}) =>
    reservationCalendar(world.db, world.service, {
      ...{ instanceType, region: "any", from: undefined, to: inHours(24), ...more },
    });
  return { principal, instanceType, read };
}

const hoursFromNow = (ms: number) => Math.round((ms - Date.now()) / 3_600_000) + 0;

it("shows each region without gaps, and equal steps as one", async () => {
  const { read } = await setting();
  const { regions } = await read();
  const shown = regions.map(({ region, steps }) => [
    region,
    steps.map(({ fromMs, toMs, available }) => [hoursFromNow(fromMs), hoursFromNow(toMs), available]),
  ]);
  expect(shown).toEqual([
    ["north", [[0, 24, 4]]],
    ["south", [[0, 24, 1]]],
  ]);
  expect((await read({ region: "south" })).regions.map(({ region }) => region)).toEqual(["south"]);
});

it("shows what reservations and instances leave, hour by hour, and that is admitted and no more", async () => {
  const { principal, instanceType, read } = await setting();
  await reserve(world, principal, { instanceType, region: "north", from: 5.5, to: 8.5, quantity: 3 });
  await world.launchOne(principal, { instanceType, region: "south", maxLifetimeSeconds: 7 * 3600 });
  const { regions } = await read();
  for (const { region, steps } of regions) {
    for (const { fromMs, toMs, available } of steps) {
      expect(toMs).toBeGreaterThan(fromMs);
      const hours = { from: (fromMs - Date.now()) / 3_600_000 + 0.001, to: (toMs - Date.now()) / 3_600_000 };
      const order = { instanceType, region, ...hours };
      await refusal("insufficient-capacity", reserve(world, principal, { ...order, quantity: available + 1 }));
    }
    const least = Math.min(...steps.map(({ available }) => available));
    expect(least).toBe(region === "north" ? 1 : 0);
  }
  const north = regions[0]?.steps.map(({ available }) => available);
  expect(north).toEqual([4, 1, 4]);
});

it("has few steps however long it is, and rejects what is past, too long or unknown", async () => {
  const { principal, instanceType, read } = await setting();
  for (const from of [100, 300, 500, 700])
    await reserve(world, principal, { instanceType, region: "north", from, to: from + 50, quantity: 2 });
  const { regions } = await read({ to: inHours(2000) });
  expect(regions[0]?.steps.length).toBeLessThanOrEqual(9);
  for (const to of [inHours(-1), inHours(101 * 24)]) await refusal("invalid-parameters", read({ to }));
  await refusal("unknown-name", read({ instanceType: "none" }));
  await refusal("unknown-name", read({ region: "none" }));
});
