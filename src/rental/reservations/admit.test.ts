// Which reservations are made: what counts as surely free then, and what does not; bounds and limits; and two at once.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { inHours, type Reserve, reserve, slotsOf, toldOf } from "../../../test/support/reservations.ts";
import { launchOrder, worldOfFile } from "../../../test/support/world.ts";
import { createToken } from "../accounts/token-store.ts";
import { quarantineGpu } from "../gpus/decisions.ts";
import { changeHostMode } from "../hosts/change-mode.ts";
import { recordObservation } from "../instances/record-observation.ts";
import { scheduleWindows } from "../maintenance/schedule.ts";
import type { Principal } from "../service.ts";
import { beginWait } from "../waiting/begin-wait.ts";
import { reserveCapacity } from "./admit.ts";
import { cancelReservation } from "./begin-end.ts";

const world = worldOfFile();

async function setting(gpus = 4) {
  const principal = await world.account();
  const host = await world.host({ gpus });
  await world.image();
  const product = await world.product();
  const order = (more: Partial<Reserve> = {}): Reserve => ({ instanceType: product.name, from: 10, to: 20, ...more });
  return { principal, host, product, order, make: (more?: Partial<Reserve>) => reserve(world, principal, order(more)) };
}

/** Launches one that is active, and ends after so many hours; undefined: never. */
async function launched(principal: Principal, instanceType: string, hours?: number): Promise<string> {
  const maxLifetimeSeconds = hours === undefined ? null : hours * 3600;
  const { id } = await world.launchOne(principal, { instanceType, maxLifetimeSeconds });
  await world.tx((tx) => recordObservation(tx, { id, generation: 1 }, "ready", { ip: "192.0.2.1" }));
  return id;
}

describe("a reservation", () => {
  it("is made with hosts of one region, the price of today, and an event; its hosts say what they owe", async () => {
    const { principal, host, product, make } = await setting();
    const made = await make({ quantity: 3, name: "training" });
    expect(made).toMatchObject({
      ...{ state: "scheduled", name: "training", region: "north", quantity: 3, used: 0, startedAt: null },
      product: { name: product.name, priceCentsPerHour: 100 },
      hosts: [{ host, slots: 3, used: 0, undelivered: 0 }],
    });
    await world.product({ ...product, priceCentsPerHour: 900, gpus: 2 });
    const { rows } = await sql`select promised from hosts where name = ${host}`.execute(world.db);
    expect(rows).toEqual([{ promised: 3 }]);
    expect(await toldOf(world, made.id)).toEqual(["scheduled"]);
    const [again] = (await reserve(world, principal, { instanceType: product.name, from: 30, to: 40 })).hosts;
    expect(again).toMatchObject({ host, slots: 1 });
  });

  it("begins at once without a begin, if all of it is free now", async () => {
    const { principal, product, make } = await setting();
    await launched(principal, product.name, 1);
    const made = await make({ from: undefined, to: 5, quantity: 3 });
    expect(made).toMatchObject({ state: "active", startedAt: made.beginsAt });
    expect(await toldOf(world, made.id)).toEqual(["scheduled", "active"]);
    await refusal("insufficient-capacity", make({ from: undefined, to: 5 }));
  });

  it("is spread over hosts, and a host that is full serves none of it", async () => {
    const { principal, host, product, make } = await setting();
    const second = await world.host({ gpus: 4 });
    for (const _ of [1, 2]) await launched(principal, product.name);
    const made = await make({ quantity: 6 });
    const slots = await slotsOf(world, made.id);
    expect(Object.keys(slots).sort()).toEqual([host, second].sort());
    expect(Object.values(slots).reduce((a, b) => a + b)).toBe(6);
    await refusal("insufficient-capacity", make());
  });

  it("is not made of two regions", async () => {
    const { make } = await setting(2);
    await world.host({ gpus: 2, region: "south" });
    await changingNothing(world.db, () => refusal("insufficient-capacity", make({ quantity: 3 })));
    expect(await make({ quantity: 2, region: "south" })).toMatchObject({ region: "south" });
  });
});

describe("capacity is surely free then", () => {
  it("where instances end before, with the time that the host needs between", async () => {
    const { principal, product, make } = await setting(2);
    await launched(principal, product.name, 9);
    await launched(principal, product.name, 9.9);
    await make({ quantity: 1 });
    expect(await refusal("insufficient-capacity", make())).toMatchObject({ regionsWithCapacity: [] });
  });

  it("where what boots cannot last longer, and where what is being terminated has ended", async () => {
    const { principal, product, make } = await setting(2);
    await world.launchOne(principal, { instanceType: product.name, maxLifetimeSeconds: 9 * 3600 });
    const { id } = await world.launchOne(principal, { instanceType: product.name });
    await refusal("insufficient-capacity", make({ quantity: 2 }));
    await world.change(principal, "terminate", [id]);
    await make({ quantity: 2 });
  });

  it("but not while something that should have ended is still there", async () => {
    const { principal, product, make } = await setting(1);
    const id = await launched(principal, product.name, 1);
    await sql`update instances set expires_at = now() - interval '1 hour' where id = ${id}`.execute(world.db);
    await refusal("insufficient-capacity", make());
  });

  it("not where GPUs are out of order, or will be", async () => {
    const { principal, product, host, make } = await setting(3);
    await sql`update gpus set healthy = false where host = ${host} and address like '%01:00.0'`.execute(world.db);
    await sql`update gpu_pools set free = 2 where host = ${host}`.execute(world.db);
    await launched(principal, product.name, 1);
    const { rows } = await sql<{ address: string }>`
      select address from gpus where host = ${host} and instance_id is not null`.execute(world.db);
    const decision = { reason: "dust", by: principal.accountId };
    await world.tx((tx) => quarantineGpu(tx, host, rows[0]?.address ?? "", decision));
    await refusal("insufficient-capacity", make({ quantity: 2 }));
    await make({ quantity: 1 });
  });

  it.each(["cordon", "drain"] as const)("not on a host after %s", async (action) => {
    const { principal, host, make } = await setting();
    await world.tx((tx) => changeHostMode(tx, host, { action, reason: undefined, by: principal.accountId }));
    await refusal("insufficient-capacity", make());
  });

  it("not on a host that is not reached", async () => {
    const { host, make } = await setting();
    await sql`update hosts set available = false where name = ${host}`.execute(world.db);
    await refusal("insufficient-capacity", make());
  });

  it.each([
    [8, 10, true],
    [8, 10.5, false],
    [19.5, 30, false],
    [20, 30, true],
    [12, 13, false],
  ])("with maintenance from hour %f to %f: %s", async (from, to, isMade) => {
    const { principal, host, make } = await setting();
    const times = { beginsAt: inHours(from), endsAt: inHours(to), deferrableUntil: null };
    const window = { ...times, host, selector: undefined, reason: "Disk", mode: "nothing" as const };
    await world.tx((tx) => scheduleWindows(tx, window, principal.accountId));
    // Both ends are of this moment, and time passes between them.
    const made = make({ from: 10.001, to: 19.999 });
    if (isMade) await made;
    else await refusal("insufficient-capacity", made);
  });

  it.each([
    [0, 9.7, true],
    [0, 9.8, false],
    [20.3, 30, true],
    [20.2, 30, false],
    [12, 13, false],
  ])("with another reservation from hour %f to %f: %s", async (from, to, isMade) => {
    const { make } = await setting(2);
    await make({ from: from === 0 ? undefined : from, to, quantity: 2 });
    if (isMade) await make({ quantity: 2 });
    else await refusal("insufficient-capacity", make());
  });

  it("not where an earlier waiting launch could use the host now, or it is kept for one", async () => {
    const { principal, host, make } = await setting();
    const wide = await world.product({ gpus: 4, vcpus: 8 });
    const asked = { principal, order: launchOrder({ instanceType: wide.name }) };
    const token = await tokenOf(principal);
    const wait = { until: inHours(5) };
    const blocked = { by: "capacity" as const, message: "No room." };
    await world.tx((tx) =>
      beginWait(tx, world.service, { ...asked, principal: { ...principal, tokenId: token } }, wait, blocked),
    );
    await refusal("insufficient-capacity", make());
    await sql`update waiting_launches set blocked_by = 'quota'`.execute(world.db);
    await sql`update hosts set earmarked_for = gen_random_uuid(), earmark_position = 1`.execute(world.db);
    await refusal("insufficient-capacity", make());
    await sql`update hosts set earmarked_for = null, earmark_position = null`.execute(world.db);
    expect((await make()).hosts).toMatchObject([{ host }]);
  });
});

async function tokenOf({ accountId }: Principal): Promise<string> {
  const order = { name: "t", accountId, scopes: ["read", "write"] as const, expiresAt: null };
  return (await world.tx((tx) => createToken(tx, order))).id;
}

describe("a rejection", () => {
  it("says how many fit, and from when on all would", async () => {
    const { principal, product, make } = await setting(2);
    await launched(principal, product.name, 24);
    const { regionsWithCapacity, reservation } = await refusal("insufficient-capacity", make({ quantity: 2 }));
    expect(regionsWithCapacity).toEqual([{ region: "north", fits: 1 }]);
    const fitsFrom = new Date(reservation?.fitsFrom ?? "").getTime();
    expect(Math.abs(fitsFrom - inHours(24.25).getTime())).toBeLessThan(180_000);
    const from = (fitsFrom - Date.now()) / 3_600_000;
    await make({ quantity: 2, from, to: from + 10 });
  });

  it.each([
    [{ from: -1 }, "from"],
    [{ from: 91 * 24, to: 92 * 24 }, "from"],
    [{ to: 10 }, "to"],
    [{ to: 10.5 }, "to"],
    [{ to: 10 + 91 * 24 }, "to"],
    [{ quantity: 0 }, "quantity"],
    [{ quantity: 65 }, "quantity"],
    [{ name: "" }, "name"],
  ])("of %j names %s", async (more, field) => {
    const { make } = await setting();
    const { fields } = await changingNothing(world.db, () => refusal("invalid-parameters", make(more)));
    expect(Object.keys(fields)).toEqual([field]);
  });

  it("is for unknown names, too", async () => {
    const { make } = await setting();
    await refusal("unknown-name", make({ instanceType: "none" }));
    await refusal("unknown-name", make({ region: "none" }));
  });

  it("is for more than a quota of the account, and for more reservations than it can have", async () => {
    const { make, order } = await setting(8);
    const small = await world.account({ quotas: { gpus: 1 } });
    await changingNothing(world.db, () => refusal("quota-exceeded", reserve(world, small, order({ quantity: 2 }))));
    await reserve(world, small, order());
    await changingNothing(world.db, () =>
      refusal("quota-exceeded", reserve(world, small, order({ from: 19, to: 21 }))),
    );
    await reserve(world, small, order({ from: 20, to: 21 }));
    const [first] = [await make(), await make()];
    const service = { ...world.service, limits: { ...world.service.limits, reservations: few } };
    const more = { ...order(), name: undefined, region: "any", quantity: 1, from: inHours(10), to: inHours(20) };
    const owner = { accountId: first.accountId, tokenId: first.tokenId, scopes: new Set<never>() };
    const attempt = () => world.tx((tx) => reserveCapacity(tx, service, owner, more));
    expect(await refusal("quota-exceeded", attempt())).toMatchObject({ what: "reservations", used: 2 });
    await world.tx((tx) => cancelReservation(tx, owner, first.id));
    await attempt();
  });
});

const few = { mostDaysAhead: 90, longestDays: 90, shortestMinutes: 60, perAccount: 2, cancelNoticeHours: 0 };

it("beyond a quota or a limit is rejected before any host is locked", async () => {
  const { make, order } = await setting();
  const [none, poor] = [await world.account({ quotas: { gpus: 0 } }), await world.account({ spendLimitCents: 1 })];
  await using open = await begin(world.db);
  await sql`select from hosts for update`.execute(open.tx);
  await changingNothing(world.db, () => refusal("quota-exceeded", reserve(world, none, order())));
  await changingNothing(world.db, () => refusal("spend-limit-exceeded", reserve(world, poor, order())));
  const made = make();
  await untilWaiting(world.db, 1);
  await open.rollback();
  await made;
});

describe("two at once of one account that has the quota for one", () => {
  it("are one that is made and one that is rejected", async () => {
    const { order } = await setting();
    const small = await world.account({ quotas: { gpus: 1 } });
    await using first = await begin(world.db);
    await world.service.capacity.refresh();
    const whole = { ...order(), name: undefined, region: "any", quantity: 1, from: inHours(10), to: inHours(20) };
    await reserveCapacity(first.tx, world.service, small, whole);
    const second = refusal("quota-exceeded", reserve(world, small, order()));
    await untilWaiting(world.db, 1);
    await first.commit();
    await second;
  });
});

describe("two at once that want the last of it", () => {
  it("are one that is made and one that is rejected", async () => {
    const { principal, order, make } = await setting(4);
    await using first = await begin(world.db);
    await world.service.capacity.refresh();
    const whole = { ...order(), name: undefined, region: "any", quantity: 3, from: inHours(10), to: inHours(20) };
    await reserveCapacity(first.tx, world.service, principal, whole);
    const second = make({ quantity: 2 });
    const third = make({ quantity: 1 });
    await untilWaiting(world.db, 2);
    await first.commit();
    const outcomes = await Promise.allSettled([second, third]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    const { rows } = await sql`select sum(slots)::integer as slots from reservation_hosts`.execute(world.db);
    expect(rows).toEqual([{ slots: 4 }]);
  });

  it("are a launch without end and a reservation, too", async () => {
    const { principal, product, make } = await setting(1);
    await using open = await begin(world.db);
    await sql`select from hosts for update`.execute(open.tx);
    const outcomes = Promise.allSettled([
      make(),
      world.launchOne(principal, { instanceType: product.name, maxLifetimeSeconds: null }),
    ]);
    await untilWaiting(world.db, 2);
    await open.rollback();
    expect((await outcomes).filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});
