// Launches with a reservation: on its hosts, up to its quantity, until its end, without a price of their own; and launches
// without one, which leave it its capacity.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { type Reserve, read, reserve, run } from "../../../test/support/reservations.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { readAccount } from "../accounts/account-store.ts";
import { totalCost } from "../billing/usage.ts";
import { CapacityCache } from "../capacity/cache.ts";
import { changeLifetime } from "../instances/change-lifetime.ts";
import { recordObservation } from "../instances/record-observation.ts";
import { endLifetimes } from "../limits/lifetimes.ts";
import { beginMove } from "../moving/begin-move.ts";
import type { Principal, Service } from "../service.ts";

const world = worldOfFile();

async function setting(gpus = 4) {
  const principal = await world.account();
  const host = await world.host({ gpus });
  await world.image();
  const product = await world.product();
  const instanceType = product.name;
  const make = (more: Partial<Reserve> = {}) =>
    reserve(world, principal, { instanceType, from: undefined, to: 10, quantity: 2, ...more });
  const launch = (
    order: { reservationId?: string; quantity?: number; hours?: number | null; region?: string; spot?: boolean } = {},
  ) => {
    const { hours = null, ...more } = order;
    return world.launch(principal, { instanceType, maxLifetimeSeconds: hours === null ? null : hours * 3600, ...more });
  };
  return { principal, host, product, make, launch };
}

async function end(principal: Principal, id: string, generation = 2): Promise<void> {
  await world.change(principal, "terminate", [id]);
  await world.tx((tx) => recordObservation(tx, { id, generation }, "removed", {}));
}

const ready = (id: string, generation = 1) =>
  world.tx((tx) => recordObservation(tx, { id, generation }, "ready", { ip: "192.0.2.1" }));

const expiresAt = async (id: string): Promise<Date | null> => {
  const query = world.db.selectFrom("instances").select("expires_at").where("id", "=", id);
  return (await query.executeTakeFirstOrThrow()).expires_at;
};

describe("a launch with a reservation", () => {
  it("gets its slots, several times until they are used up, and again when one ends", async () => {
    const { principal, make, launch, host } = await setting();
    const { id } = await make();
    const [first] = await launch({ reservationId: id });
    const second = only(await launch({ reservationId: id.toUpperCase() }));
    expect([first?.host, second.host]).toEqual([host, host]);
    expect(await read(world, id)).toMatchObject({ used: 2, hosts: [{ slots: 2, used: 2 }] });
    await changingNothing(world.db, () => refusal("conflict", launch({ reservationId: id })));
    await end(principal, second.id);
    await changingNothing(world.db, () => refusal("conflict", launch({ reservationId: id, quantity: 2 })));
    await launch({ reservationId: id });
  });

  it("leaves its slot to the reservation when it ends before: that is promised to no other meanwhile", async () => {
    const { principal, make, launch } = await setting(2);
    const { id } = await make({ to: 20 });
    const [first] = await launch({ reservationId: id, quantity: 2, hours: 1 });
    await ready(first?.id ?? "");
    await refusal("insufficient-capacity", make({ from: 3, to: 10, quantity: 1 }));
    await world.change(principal, "terminate", [first?.id ?? ""]);
    await refusal("insufficient-capacity", make({ from: 3, to: 10, quantity: 1 }));
    await make({ from: 21, to: 30 });
  });

  it("costs nothing by itself; the reservation pays", async () => {
    const { principal, make, launch } = await setting();
    const { id, endsAt } = await make();
    const instance = only(await launch({ reservationId: id }));
    expect(instance).toMatchObject({ reservationId: id, product: { priceCentsPerHour: 0 }, expiresAt: endsAt });
    await ready(instance.id);
    await travel(world.db, "1 hour");
    const { costMicroCents } = await totalCost(world.db, { accountId: principal.accountId });
    expect(costMicroCents / 1_000_000n).toBe(200n);
  });

  it("ends with the reservation at the latest, and earlier if it is asked to", async () => {
    const { principal, make, launch } = await setting();
    const { id, endsAt } = await make();
    const [long, short] = [
      only(await launch({ reservationId: id })),
      only(await launch({ reservationId: id, hours: 2 })),
    ];
    for (const one of [long, short]) await ready(one.id);
    expect(await expiresAt(long.id)).toEqual(endsAt);
    const hours = ((await expiresAt(short.id))?.getTime() ?? 0) - Date.now();
    expect(Math.round(hours / 3_600_000)).toBe(2);
    const change = (seconds: number | null) =>
      world.tx((tx) => changeLifetime(tx, world.service, principal, short.id, seconds));
    await change(3 * 3600);
    await change(null);
    expect(await expiresAt(short.id)).toEqual(endsAt);
    await change(100 * 3600);
    expect(await expiresAt(short.id)).toEqual(endsAt);
    await travel(world.db, "10 hours");
    await run(world);
    expect(await endLifetimes(world.db)).toEqual({ ended: 2, warned: 0 });
  });

  it("begins it if it is due, and waits for nothing else", async () => {
    const { make, launch } = await setting();
    const { id, beginsAt } = await make({ from: 1 });
    await refusal("conflict", launch({ reservationId: id }));
    await travel(world.db, "1 hour");
    await launch({ reservationId: id });
    const begun = await read(world, id);
    expect(begun).toMatchObject({ state: "active", startedAt: begun.beginsAt });
    expect(begun.beginsAt.getTime()).toBeLessThan(beginsAt.getTime());
  });

  it("is rejected for another account, type or region, with a coupon, as spot, and when it is over", async () => {
    const { principal, make, launch } = await setting();
    await world.region("south");
    const { id } = await make();
    const other = await world.account();
    const product = await world.product();
    const { name: instanceType } = product;
    const type = (await read(world, id)).product.name;
    await refusal("unknown-name", world.launch(other, { instanceType: type, reservationId: id }));
    await refusal("invalid-parameters", world.launch(principal, { instanceType, reservationId: id }));
    await refusal("invalid-parameters", launch({ reservationId: id, region: "south" }));
    const { code } = await world.coupon();
    await refusal("invalid-parameters", launch({ reservationId: id, spot: true }));
    const withCoupon = { instanceType: type, reservationId: id, coupon: code };
    await refusal("invalid-parameters", world.launch(principal, withCoupon));
    await travel(world.db, "10 hours");
    await refusal("conflict", launch({ reservationId: id }));
    await run(world);
    await refusal("conflict", launch({ reservationId: id }));
  });

  it("is within the quotas and limits of the reservation, whatever else its account runs, and counts as its use", async () => {
    await world.host({ gpus: 6 });
    await world.image();
    const { name: instanceType } = await world.product();
    const principal = await world.account({ quotas: { instances: 2, gpus: 2 }, spendLimitCents: 100_000 });
    const { id } = await reserve(world, principal, { instanceType, to: 10, quantity: 2 });
    await world.launch(principal, { instanceType, quantity: 2 });
    await sql`update accounts set spend_limit_cents = 0 where id = ${principal.accountId}`.execute(world.db);
    await refusal("spend-limit-exceeded", world.launch(principal, { instanceType }));
    await world.launch(principal, { instanceType, reservationId: id });
    await sql`update accounts set quota_instances = 1, spend_limit_cents = null`.execute(world.db);
    const second = only(await world.launch(principal, { instanceType, reservationId: id }));
    await changingNothing(world.db, () =>
      refusal("conflict", world.launch(principal, { instanceType, reservationId: id })),
    );
    const { used } = await readAccount(world.db, principal.accountId);
    expect(used).toMatchObject({ instances: 4, gpus: 4 });
    await changingNothing(world.db, () => refusal("quota-exceeded", world.launch(principal, { instanceType })));
    await end(principal, second.id, 2);
    expect((await readAccount(world.db, principal.accountId)).used).toMatchObject({ instances: 3, gpus: 3 });
  });

  it("has its type as it was reserved, whatever the catalog says since", async () => {
    const { principal, product, make } = await setting();
    const { id } = await make();
    await world.product({ ...product, gpus: 4, vcpus: 64 });
    const order = { instanceType: product.name, reservationId: id };
    expect(only(await world.launch(principal, order)).product).toMatchObject({ gpus: 1, vcpus: 8 });
    await sql`delete from instance_types`.execute(world.db);
    await world.launch(principal, order);
  });

  it("is served once of two at once that want the last slot", async () => {
    const { make, launch } = await setting();
    const { id } = await make({ quantity: 1 });
    await using open = await begin(world.db);
    await sql`select from hosts for update`.execute(open.tx);
    const both = Promise.allSettled([launch({ reservationId: id }), launch({ reservationId: id })]);
    await untilWaiting(world.db, 2);
    await open.rollback();
    expect((await both).map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await read(world, id)).toMatchObject({ used: 1 });
  });
});

describe("what is promised", () => {
  it("is left by launches without end and by those that end too late, and used by those that end before", async () => {
    const { make, launch } = await setting(2);
    await make({ from: 10, to: 20 });
    await refusal("insufficient-capacity", launch());
    await refusal("insufficient-capacity", launch({ hours: 9.6 }));
    await launch({ hours: 9.5 });
  });

  it("is left by spot instances just so, and what those hold is promised again from when they could be evicted", async () => {
    const { product, make, launch } = await setting(2);
    await world.product({ ...product, spotPriceCentsPerHour: 30 });
    await make({ from: 10, to: 20, quantity: 1 });
    await launch({ spot: true });
    await refusal("insufficient-capacity", launch({ spot: true }));
    await launch({ spot: true, hours: 5 });
    await refusal("insufficient-capacity", make({ from: 0.3, to: 9, quantity: 1 }));
    await make({ from: 10, to: 20, quantity: 1 });
    await refusal("insufficient-capacity", make({ from: 10, to: 20, quantity: 1 }));
    await make({ from: 0.4, to: 9, quantity: 2 });
  });

  it("is not shown as capacity, and rejected launches are told of what is left", async () => {
    const { product, make, launch } = await setting(4);
    await make({ from: 10, to: 20, quantity: 3 });
    const cache = new CapacityCache(world.db);
    const shown = async () => (await cache.view([product])).get(product.name)?.get("north");
    expect(await shown()).toBe(1);
    const { regionsWithCapacity } = await refusal("insufficient-capacity", launch({ quantity: 2 }));
    expect(regionsWithCapacity).toEqual([{ region: "north", fits: 1 }]);
    await launch();
    expect(await shown()).toBeUndefined();
    expect(cache.order.capacityByRegion(product, 10)).toEqual([{ region: "north", fits: 3 }]);
  });

  it("is left by a longer lifetime, too", async () => {
    const { principal, make, launch } = await setting(2);
    const { id } = only(await launch({ hours: 5 }));
    await ready(id);
    await make({ from: 10, to: 20 });
    const change = (hours: number | null) => () =>
      world.tx((tx) => changeLifetime(tx, world.service, principal, id, hours === null ? null : hours * 3600));
    await changingNothing(world.db, () => refusal("invalid-parameters", change(null)()));
    await changingNothing(world.db, () => refusal("invalid-parameters", change(9.8)()));
    await change(9.7)();
  });

  it("is left by a longer lifetime of what still boots, for as long as the operator allows that", async () => {
    const { principal, make, launch } = await setting(2);
    const { id } = only(await launch({ hours: 5 }));
    await make({ from: 10, to: 20 });
    const slow = { ...world.service, limits: { ...world.service.limits, bootSeconds: 7200 } };
    const change = (service: Service, hours: number) =>
      world.tx((tx) => changeLifetime(tx, service, principal, id, hours * 3600));
    await changingNothing(world.db, () => refusal("invalid-parameters", change(slow, 8)));
    await change(slow, 7.7);
    await change(world.service, 8);
  });

  it("is left by moves without end", async () => {
    const { principal, make, launch } = await setting(2);
    const second = await world.host({ gpus: 2 });
    const { id, host } = only(await launch());
    await ready(id);
    await world.change(principal, "stop", [id]);
    await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "halted", {}));
    const target = host === second ? "another" : second;
    await make({ from: 10, to: 20, quantity: 3 });
    const move = async () => {
      await world.service.capacity.refresh();
      const order = { host: target === "another" ? undefined : target, reason: undefined, by: null };
      return world.tx((tx) => beginMove(tx, world.service, id, order));
    };
    await refusal("insufficient-capacity", move());
  });

  it("of a slot that was used is promised again when its instance ends", async () => {
    const { principal, make, launch } = await setting(2);
    const { id } = await make();
    const instance = only(await launch({ reservationId: id }));
    await refusal("insufficient-capacity", launch());
    await end(principal, instance.id);
    await refusal("insufficient-capacity", launch());
    await launch({ reservationId: id, quantity: 2 });
  });

  it("follows an instance that is moved", async () => {
    const { principal, make, launch, host } = await setting(2);
    const { id } = await make({ quantity: 1 });
    const instance = only(await launch({ reservationId: id }));
    await ready(instance.id);
    await world.change(principal, "stop", [instance.id]);
    await world.tx((tx) => recordObservation(tx, { id: instance.id, generation: 2 }, "halted", {}));
    const second = await world.host({ gpus: 2 });
    await world.service.capacity.refresh();
    const order = { host: second, reason: undefined, by: null };
    await world.tx((tx) => beginMove(tx, world.service, instance.id, order));
    await run(world);
    expect((await read(world, id)).hosts).toMatchObject([{ host, slots: 1, used: 1 }]);
    await sql`update instances set host = ${second} where id = ${instance.id}`.execute(world.db);
    await sql`delete from moves`.execute(world.db);
    await run(world);
    expect((await read(world, id)).hosts).toMatchObject([{ host: second, slots: 1, used: 1 }]);
  });
});
