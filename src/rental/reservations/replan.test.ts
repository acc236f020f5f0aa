// Hosts that fail, and maintenance that is scheduled, while something of them is promised: where it goes, what is credited, and
// what operators are told.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { inHours, type Reserve, read, reserve, run, slotsOf, toldOf } from "../../../test/support/reservations.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import type { MaintenanceMode } from "../../rules/maintenance.ts";
import { totalCost } from "../billing/usage.ts";
import { removeHost } from "../capacity/host-store.ts";
import { quarantineGpu } from "../gpus/decisions.ts";
import { changeHostMode } from "../hosts/change-mode.ts";
import { recordObservation } from "../instances/record-observation.ts";
import { deferWindow } from "../maintenance/defer.ts";
import { changeWindow, scheduleWindows } from "../maintenance/schedule.ts";

const world = worldOfFile();
const cent = 1_000_000n;

async function setting(gpus = 4) {
  const principal = await world.account();
  const host = await world.host({ gpus });
  await world.image();
  const product = await world.product({ priceCentsPerHour: 3600 });
  const make = (more: Partial<Reserve> = {}) =>
    reserve(world, principal, { instanceType: product.name, from: undefined, to: 10, quantity: 2, ...more });
  const launch = (reservationId: string) => world.launchOne(principal, { instanceType: product.name, reservationId });
  const decide = (action: "cordon" | "uncordon") =>
    world.tx((tx) => changeHostMode(tx, host, { action, reason: undefined, by: principal.accountId }));
  const billed = () => totalCost(world.db, { accountId: principal.accountId });
  const unreachable = (is: boolean) =>
    sql`update hosts set available = ${!is}, unreachable_since = case when ${is} then now() end where name = ${host}`.execute(
      world.db,
    );
  const window = (from: number, to: number, mode: MaintenanceMode = "stop") => ({
    ...{ host, selector: undefined, reason: "Disk", mode, beginsAt: inHours(from), endsAt: inHours(to) },
    deferrableUntil: null,
  });
  const schedule = async (from: number, to: number, mode?: MaintenanceMode) =>
    only(await world.tx((tx) => scheduleWindows(tx, window(from, to, mode), principal.accountId)));
  return { principal, host, product, make, launch, decide, billed, unreachable, window, schedule };
}

describe("slots that are not used", () => {
  it.each(["cordoned", "unreachable", "gone"] as const)("move to others when their host is %s", async (how) => {
    const { host, make, decide, unreachable } = await setting();
    const { id } = await make();
    const second = await world.host({ gpus: 1 });
    const third = await world.host({ gpus: 1 });
    if (how === "cordoned") await decide("cordon");
    else if (how === "unreachable") await unreachable(true);
    else await sql`delete from hosts where name = ${host}`.execute(world.db);
    expect(await run(world)).toMatchObject({ moved: 2, atRisk: 0 });
    expect(await slotsOf(world, id)).toEqual({ [second]: 1, [third]: 1 });
    await refusal("insufficient-capacity", make({ quantity: 1 }));
  });

  it("move off a host whose GPUs fail, as many as it misses", async () => {
    const { principal, host, make } = await setting(3);
    const { id } = await make({ from: 5, quantity: 3 });
    const second = await world.host({ gpus: 4 });
    const { rows } = await sql<{ address: string }>`select address from gpus where host = ${host} limit 1`.execute(
      world.db,
    );
    const decision = { reason: "dust", by: principal.accountId };
    await world.tx((tx) => quarantineGpu(tx, host, rows[0]?.address ?? "", decision));
    expect(await run(world)).toMatchObject({ moved: 1 });
    expect(await slotsOf(world, id)).toEqual({ [host]: 2, [second]: 1 });
  });

  it("stay while GPUs of an instance that ended are reset, and move when that takes too long", async () => {
    const { principal, host, make, launch } = await setting(1);
    const { id } = await make({ quantity: 1 });
    const instance = await launch(id);
    await world.change(principal, "terminate", [instance.id]);
    await world.tx((tx) => recordObservation(tx, { id: instance.id, generation: 2 }, "removed", {}));
    await sql`update gpus set state = 'sanitizing', state_since = now() where host = ${host}`.execute(world.db);
    await sql`update gpu_pools set free = 0 where host = ${host}`.execute(world.db);
    const second = await world.host({ gpus: 1 });
    expect(await run(world)).toMatchObject({ moved: 0, atRisk: 0 });
    await travel(world.db, "16 minutes");
    expect(await run(world)).toMatchObject({ moved: 1 });
    expect(await slotsOf(world, id)).toEqual({ [second]: 1 });
  });

  it("do not move to hosts that are promised, or that launches without end are on", async () => {
    const { principal, product, host, make, decide } = await setting();
    const { id } = await make();
    await world.host({ gpus: 2, region: "south" });
    await world.host({ gpus: 1 });
    await make({ quantity: 1, from: 9, to: 20 });
    await world.host({ gpus: 1 });
    await world.launchOne(principal, { instanceType: product.name });
    await decide("cordon");
    const { atRisk, moved } = await run(world);
    const elsewhere = Object.entries(await slotsOf(world, id)).filter(([name]) => name !== host);
    expect(elsewhere.reduce((sum, [, slots]) => sum + slots, 0)).toBe(moved);
    expect(moved + atRisk).toBeGreaterThanOrEqual(2);
    const { rows } = await sql`
      select h.name from hosts h where h.promised > (select count(*) from gpus g where g.host = h.name)`.execute(
      world.db,
    );
    expect(rows).toEqual([]);
  });
});

describe("what an active reservation misses", () => {
  it("is credited at the end of the failure, if that was longer than the tolerance", async () => {
    const { make, decide, billed } = await setting();
    const { id } = await make();
    await decide("cordon");
    await run(world);
    expect(await read(world, id)).toMatchObject({ undelivered: 2, atRiskSince: expect.any(Date) });
    await travel(world.db, "2 hours");
    await decide("uncordon");
    await run(world);
    const { costMicroCents, creditMicroCents } = await billed();
    const seconds = [costMicroCents, creditMicroCents].map((sum) => Number(sum / (2n * cent)));
    for (const one of seconds) expect(Math.abs(one - 7200)).toBeLessThan(30);
    expect(creditMicroCents).toBeLessThanOrEqual(costMicroCents);
    expect(await read(world, id)).toMatchObject({ undelivered: 0, atRiskSince: null });
    await travel(world.db, "1 hour");
    await run(world);
    expect((await billed()).creditMicroCents).toBe(creditMicroCents);
    expect(await toldOf(world, id)).toEqual(["scheduled", "active", "at_risk"]);
  });

  it("is billed if it was shorter, or if the operator credits nothing", async () => {
    const { make, decide, billed } = await setting();
    await make();
    await decide("cordon");
    await run(world);
    await travel(world.db, "14 minutes");
    await decide("uncordon");
    await run(world);
    expect((await billed()).creditMicroCents).toBe(0n);
    await decide("cordon");
    await run(world, { unfulfilled: "none" });
    await travel(world.db, "2 hours");
    await decide("uncordon");
    await run(world, { unfulfilled: "none" });
    expect((await billed()).creditMicroCents).toBe(0n);
  });

  it("counts slots with instances while their host is not reached, back to when it was", async () => {
    const { make, launch, unreachable, billed } = await setting();
    const { id } = await make();
    await launch(id);
    await unreachable(true);
    await travel(world.db, "1 hour");
    await run(world);
    expect(await read(world, id)).toMatchObject({ undelivered: 2 });
    await travel(world.db, "1 hour");
    await unreachable(false);
    await run(world);
    expect((await billed()).creditMicroCents / cent).toBe(14_400n);
  });

  it("is credited once where slots move while others of the host are missing", async () => {
    const { make, launch, unreachable, billed } = await setting();
    const { id } = await make();
    await launch(id);
    await unreachable(true);
    await travel(world.db, "1 hour");
    await run(world);
    const second = await world.host({ gpus: 1 });
    await travel(world.db, "1 hour");
    await run(world);
    expect(await read(world, id)).toMatchObject({ undelivered: 1, hosts: [{ slots: 1 }, { host: second, slots: 1 }] });
    expect((await billed()).creditMicroCents / cent).toBe(14_400n);
    await travel(world.db, "8 hours");
    await run(world);
    expect(await read(world, id)).toMatchObject({ state: "ended" });
    const { costMicroCents, creditMicroCents } = await billed();
    // The end was asked for some moments before the begin.
    const { beginsAt, endsAt } = await read(world, id);
    const lasted = BigInt(Math.floor((endsAt.getTime() - beginsAt.getTime()) / 1000));
    expect(costMicroCents / cent).toBe(2n * lasted);
    const missed = creditMicroCents / cent;
    expect(missed > 43_190n && missed <= 43_200n, `${missed}`).toBe(true);
  });

  it("counts instances that are stopped for maintenance", async () => {
    const { principal, make, launch, schedule } = await setting(1);
    const { id } = await make({ quantity: 1 });
    const instance = await launch(id);
    const { id: window } = await schedule(1, 3);
    await sql`update instances set stopped_for = ${window} where id = ${instance.id}`.execute(world.db);
    const since = performance.now();
    await run(world);
    expect(await read(world, id)).toMatchObject({ undelivered: 1 });
    await travel(world.db, "1 hour");
    await sql`update instances set stopped_for = null`.execute(world.db);
    await run(world);
    const { creditMicroCents } = await totalCost(world.db, { accountId: principal.accountId });
    const passed = (performance.now() - since) / 1000;
    expect(Number(creditMicroCents / cent)).toBeGreaterThanOrEqual(3600);
    expect(Number(creditMicroCents / cent)).toBeLessThanOrEqual(3600 + passed);
  });
});

describe("maintenance of a host that is promised", () => {
  it("moves what is not used to other hosts first", async () => {
    const { make, launch, schedule, host } = await setting();
    const { id } = await make();
    await launch(id);
    const second = await world.host({ gpus: 1 });
    await schedule(2, 3);
    expect(await slotsOf(world, id)).toEqual({ [host]: 1, [second]: 1 });
  });

  it("is rejected where no other host has the capacity, and says which reservation stays", async () => {
    const { make, schedule, host } = await setting();
    const { id } = await make({ from: 2, to: 10 });
    await world.host({ gpus: 1 });
    const { message } = await changingNothing(world.db, () => refusal("conflict", schedule(5, 6)));
    expect(message).toContain(id);
    expect(message).toContain(host);
    await schedule(0.5, 1.9);
    const after = await schedule(11, 12);
    const change = (hours: number) =>
      world.tx((tx) => changeWindow(tx, after.id, { beginsAt: inHours(hours), endsAt: inHours(12) }));
    await changingNothing(world.db, () => refusal("conflict", change(9)));
    await change(10.5);
  });

  it("is not deferred into it, and its customer reads neither host nor reservation", async () => {
    const { principal, product, host, make, window } = await setting(3);
    const other = await world.account();
    await world.launchOne(other, { instanceType: product.name, maxLifetimeSeconds: null });
    const { id } = await make({ from: 5, to: 10 });
    const deferrable = { ...window(1, 2), deferrableUntil: inHours(12) };
    const { id: planned } = only(await world.tx((tx) => scheduleWindows(tx, deferrable, principal.accountId)));
    const defer = (hours: number) => world.tx((tx) => deferWindow(tx, other.accountId, planned, inHours(hours)));
    const { message } = await refusal("conflict", defer(6));
    expect(message).not.toContain(id);
    expect(message).not.toContain(host);
    await defer(11);
  });
});

it("a host that is promised is not deleted, unless it is lost", async () => {
  const { host, make, decide } = await setting();
  const { id } = await make();
  await refusal(
    "conflict",
    world.tx((tx) => removeHost(tx, host)),
  );
  const second = await world.host({ gpus: 2 });
  await decide("cordon");
  await run(world);
  await world.tx((tx) => removeHost(tx, host));
  await sql`update hosts set mode = 'lost' where name = ${second}`.execute(world.db);
  await world.tx((tx) => removeHost(tx, second));
  expect(await slotsOf(world, id)).toEqual({ [second]: 2 });
  const third = await world.host({ gpus: 2 });
  await run(world);
  expect(await slotsOf(world, id)).toEqual({ [third]: 2 });
});
