// The life of a reservation: it begins, warns, ends, is cancelled or unfulfilled; and what it costs then.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { type Reserve, read, reserve, run, toldOf } from "../../../test/support/reservations.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { reservationBounds } from "../../rules/reservations.ts";
import { closeMonths } from "../billing/close-months.ts";
import { listStatements, monthOf, statementLines } from "../billing/statements.ts";
import { costSoFar, totalCost, usageLines } from "../billing/usage.ts";
import { usageParts } from "../billing/usage-parts.ts";
import type { Principal } from "../service.ts";
import { cancelReservation } from "./begin-end.ts";
import { deleteOldReservations } from "./retention.ts";

const world = worldOfFile();
const cent = 1_000_000n;

async function setting(gpus = 4) {
  const principal = await world.account();
  const host = await world.host({ gpus });
  await world.image();
  const product = await world.product({ priceCentsPerHour: 3601 });
  const make = (more: Partial<Reserve> = {}) =>
    reserve(world, principal, { instanceType: product.name, from: 10, to: 20, quantity: 3, ...more });
  return { principal, host, product, make };
}

const cancel = (principal: Principal, id: string, hours = 0) =>
  world.tx((tx) => cancelReservation(tx, principal, id, { ...reservationBounds, cancelNoticeHours: hours }));

describe("a reservation", () => {
  it("begins, warns twice, and ends, each once, and its hosts owe nothing then", async () => {
    const { host, make } = await setting();
    const { id, beginsAt, endsAt } = await make();
    await run(world);
    expect(await read(world, id)).toMatchObject({ state: "scheduled" });
    await travel(world.db, "10 hours");
    expect(await run(world)).toEqual({ moved: 0, atRisk: 0, begun: 1, ended: 0, warned: 0 });
    const active = await read(world, id);
    expect(active).toMatchObject({ state: "active", startedAt: active.beginsAt });
    expect(active.endsAt.getTime() - active.beginsAt.getTime()).toBe(endsAt.getTime() - beginsAt.getTime());
    await run(world);
    await travel(world.db, "9 hours 5 minutes");
    expect(await run(world)).toMatchObject({ warned: 1 });
    expect(await run(world)).toMatchObject({ warned: 0 });
    await travel(world.db, "46 minutes");
    expect(await run(world)).toMatchObject({ warned: 1 });
    await travel(world.db, "9 minutes");
    expect(await run(world)).toMatchObject({ ended: 1, warned: 0 });
    await run(world);
    const ended = await read(world, id);
    expect(ended).toMatchObject({ state: "ended", endedAt: ended.endsAt, hosts: [] });
    expect(await toldOf(world, id)).toEqual(["scheduled", "active", "ending", "ending", "ended"]);
    const { rows } = await sql`select promised from hosts where name = ${host}`.execute(world.db);
    expect(rows).toEqual([{ promised: 0 }]);
  });

  it("is billed from its begin to its end to the second, whenever anything runs", async () => {
    const { principal, make } = await setting();
    const { id } = await make();
    await travel(world.db, "10 hours 5 minutes");
    expect(await costSoFar(world.db, id)).toBe(0n);
    await run(world);
    await travel(world.db, "3 days");
    // 36000 seconds at 3601 cents an hour.
    expect(await costSoFar(world.db, id)).toBe(3n * 36_010n * cent);
    await run(world);
    expect(await costSoFar(world.db, id)).toBe(3n * 36_010n * cent);
    const [line] = await usageLines(world.db, { accountId: principal.accountId });
    expect(line).toMatchObject({ subject: { kind: "reservation", id }, quantity: 3, seconds: 3 * 36_000 });
    const ended = await read(world, id);
    expect(line?.endedAt).toEqual(ended.endsAt);
  });

  it("is one line of usage, of its days and of statements, which add up, also of closed months", async () => {
    const { principal, product, make } = await setting();
    const { id } = await make({ to: 10 + 24 * 40 });
    await travel(world.db, "10 hours");
    await run(world);
    await travel(world.db, "90 days");
    await run(world);
    const { accountId } = principal;
    const total = await totalCost(world.db, { accountId });
    expect(total.costMicroCents).toBe(3n * 3601n * 960n * cent);
    const days = await usageParts(world.db, { accountId, unit: "day", per: "instance" });
    expect(days.reduce((sum, day) => sum + day.costMicroCents, 0n)).toBe(total.costMicroCents);
    expect(new Set(days.map((day) => day.subject?.id))).toEqual(new Set([id]));
    const types = await usageParts(world.db, { accountId, unit: "month", per: "instance_type" });
    expect(new Set(types.map(({ instanceType }) => instanceType))).toEqual(new Set([product.name]));
    const months = [...new Set(days.map(({ part }) => part.slice(0, 7)))];
    const linesOf = async () => {
      const all = [];
      for (const name of months) {
        const month = monthOf(name);
        if (month !== undefined) all.push(...(await statementLines(world.db, month, { accountId })));
      }
      return all;
    };
    const open = await linesOf();
    expect(open.length).toBe(months.length);
    expect((await closeMonths(world.db)).length).toBeGreaterThan(0);
    expect(await linesOf()).toEqual(open);
    expect(open[0]).toMatchObject({ subject: { kind: "reservation", id }, quantity: 3, priceCentsPerHour: 3601 });
    expect(open.reduce((sum, line) => sum + line.costMicroCents, 0n)).toBe(total.costMicroCents);
    const sums = await listStatements(world.db, { accountId });
    expect(sums.every(({ instances }) => instances === 1)).toBe(true);
  });

  it("that is late because the service did not run is billed from when it does", async () => {
    const { make } = await setting();
    const { id } = await make();
    await travel(world.db, "13 hours");
    await run(world);
    const { beginsAt, startedAt } = await read(world, id);
    const late = ((startedAt?.getTime() ?? 0) - beginsAt.getTime()) / 3_600_000;
    expect(late >= 3 && late < 3.01, `${late}`).toBe(true);
  });

  it("whose time passed while the service did not run is unfulfilled, and costs nothing", async () => {
    const { make } = await setting();
    const { id } = await make();
    await travel(world.db, "21 hours");
    await run(world);
    expect(await read(world, id)).toMatchObject({ state: "unfulfilled", startedAt: null, hosts: [] });
    expect(await costSoFar(world.db, id)).toBe(0n);
  });
});

describe("hosts that fail before the begin", () => {
  it("let it begin late, billed from then on, if they are back within the tolerance", async () => {
    const { host, make } = await setting();
    const { id } = await make();
    await sql`update hosts set available = false where name = ${host}`.execute(world.db);
    await travel(world.db, "10 hours 2 minutes");
    expect(await run(world)).toMatchObject({ begun: 0, atRisk: 3 });
    expect(await read(world, id)).toMatchObject({ state: "scheduled" });
    await sql`update hosts set available = true where name = ${host}`.execute(world.db);
    await travel(world.db, "5 minutes");
    expect(await run(world)).toMatchObject({ begun: 1 });
    const { beginsAt, startedAt } = await read(world, id);
    const late = ((startedAt?.getTime() ?? 0) - beginsAt.getTime()) / 60_000;
    expect(late >= 7 && late < 8, `${late}`).toBe(true);
  });

  it("leave it unfulfilled after the tolerance, with the reason; it is told once that it is at risk", async () => {
    const { host, make } = await setting();
    const { id } = await make();
    await sql`update hosts set available = false where name = ${host}`.execute(world.db);
    await run(world);
    await run(world);
    await travel(world.db, "10 hours 16 minutes");
    await run(world);
    expect(await read(world, id)).toMatchObject({ state: "unfulfilled", reason: expect.stringContaining("failed") });
    expect(await toldOf(world, id)).toEqual(["scheduled", "at_risk", "unfulfilled"]);
    expect(await costSoFar(world.db, id)).toBe(0n);
  });

  it("leave it to others: its slots are promised elsewhere", async () => {
    const { host, make } = await setting();
    const { id } = await make();
    const second = await world.host({ gpus: 2 });
    await sql`update hosts set available = false where name = ${host}`.execute(world.db);
    expect(await run(world)).toMatchObject({ moved: 2, atRisk: 1 });
    const third = await world.host({ gpus: 2 });
    expect(await run(world)).toMatchObject({ moved: 1, atRisk: 0 });
    const { hosts, atRiskSince } = await read(world, id);
    expect([hosts.map((one) => [one.host, one.slots]), atRiskSince]).toEqual([
      [
        [second, 2],
        [third, 1],
      ],
      null,
    ]);
    await travel(world.db, "10 hours");
    expect(await run(world)).toMatchObject({ begun: 1 });
  });
});

describe("a cancellation", () => {
  it("frees what was promised, and costs nothing", async () => {
    const { principal, make } = await setting();
    const { id } = await make();
    await refusal("insufficient-capacity", make());
    expect(await cancel(principal, id.toUpperCase())).toMatchObject({ state: "cancelled", hosts: [] });
    expect(await toldOf(world, id)).toEqual(["scheduled", "cancelled"]);
    await make();
    expect(await costSoFar(world.db, id)).toBe(0n);
  });

  it("is rejected twice, once it is active, too late for the operator's notice, and of another account", async () => {
    const { principal, make } = await setting();
    const [first, second] = [await make({ quantity: 1 }), await make({ quantity: 1 })];
    const nothing = <T>(attempt: () => Promise<T>) => changingNothing(world.db, attempt);
    await nothing(() => refusal("conflict", cancel(principal, first.id, 11)));
    const other = await world.account();
    await nothing(() => refusal("unknown-object", cancel(other, first.id)));
    await cancel({ ...other, scopes: new Set(["operator"]) }, first.id, 11);
    await nothing(() => refusal("conflict", cancel(principal, first.id)));
    await travel(world.db, "10 hours");
    // Due, though no server has begun it yet.
    await nothing(() => refusal("conflict", cancel(principal, second.id)));
    await run(world);
    await nothing(() => refusal("conflict", cancel(principal, second.id)));
  });
});

it("stays while usage needs it, and is deleted long after if it cost nothing", async () => {
  const { principal, make } = await setting();
  const [billed, cancelled] = [await make({ quantity: 1 }), await make({ quantity: 1 })];
  await cancel(principal, cancelled.id);
  await travel(world.db, "10 hours");
  await run(world);
  await travel(world.db, "399 days");
  await run(world);
  expect(await deleteOldReservations(world.db, 400)).toBe(0);
  await travel(world.db, "2 days");
  expect(await deleteOldReservations(world.db, 400)).toBe(1);
  await read(world, billed.id);
  await refusal("unknown-object", read(world, cancelled.id));
});
