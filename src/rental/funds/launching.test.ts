// An account that pays before, or up to a credit line, launches and reserves only what its balance covers, beside everything
// that it runs and has reserved.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { launchAll } from "../../../test/support/launch-all.ts";
import { pay } from "../../../test/support/money.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { reserve, run, toldOf } from "../../../test/support/reservations.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { launchOrder, worldOfFile } from "../../../test/support/world.ts";
import { openSpans } from "../billing/spans.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Principal } from "../service.ts";

const world = worldOfFile();
/** A dollar an hour. */
let product: InstanceType;
let free: InstanceType;
beforeEach(async () => {
  await world.image();
  for (let host = 0; host < 3; host++) await world.host({ gpus: 8, vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ priceCentsPerHour: 100 });
  free = await world.product({ gpus: 0, priceCentsPerHour: 0 });
});

const launch = (by: Principal, quantity = 1, type = product) => world.launch(by, { instanceType: type.name, quantity });
const needs = async (attempt: Promise<unknown>) => {
  const { needsMicroCents, leftMicroCents } = await refusal("insufficient-balance", attempt);
  return [needsMicroCents / 1_000_000n, leftMicroCents / 1_000_000n];
};

describe("a launch of a prepaid account", () => {
  it("needs money for an hour of all of it, and says how much", async () => {
    const principal = await world.account({ paymentTerms: "prepaid" });
    expect(await changingNothing(world.db, () => needs(launch(principal)))).toEqual([100n, 0n]);
    await pay(world, principal, 299);
    expect(await needs(launch(principal, 3))).toEqual([300n, 299n]);
    await pay(world, principal, 1);
    await launch(principal, 3);
  });

  it("needs it beside an hour of what runs, booting and stopped instances too", async () => {
    const principal = await world.account({ paymentTerms: "prepaid" });
    await pay(world, principal, 399);
    const [one] = await launch(principal, 2);
    await world.put(one?.id ?? "", "stopped");
    expect(await needs(launch(principal, 2))).toEqual([200n, 199n]);
    await world.change(principal, "terminate", [one?.id ?? ""]);
    await launch(principal, 2);
  });

  it("that costs nothing needs none", async () => {
    const principal = await world.account({ paymentTerms: "prepaid" });
    await launch(principal, 1, free);
  });

  it("together with others at once never exceeds the balance, whatever the order", async () => {
    const principal = await world.account({ paymentTerms: "prepaid" });
    await pay(world, principal, 350);
    const order = launchOrder({ instanceType: product.name });
    const asked = Array.from({ length: 5 }, () => ({ principal, order }));
    await world.service.capacity.refresh();
    const outcomes = await world.tx((tx) => launchAll(tx, world.service, asked));
    const refused = outcomes.filter(
      (one) => typeof one !== "string" && "kind" in one && one.kind === "insufficient-balance",
    );
    expect([outcomes.length, refused.length]).toEqual([5, 2]);
    const alone = await Promise.allSettled(Array.from({ length: 4 }, () => launch(principal)));
    expect(alone.map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
  });

  it("counts usage that is not posted yet", async () => {
    const principal = await world.account({ paymentTerms: "prepaid" });
    await pay(world, principal, 400);
    const [one] = await launch(principal);
    await world.put(one?.id ?? "", "active");
    await world.tx((tx) => openSpans(tx, [one?.id ?? ""]));
    await travel(world.db, "2 hours");
    await pay(world, principal, -1);
    expect(await needs(launch(principal))).toEqual([100n, 99n]);
  });
});

describe("a postpaid account with a credit line", () => {
  it("launches until that is used, and without one whatever it likes", async () => {
    const principal = await world.account({ creditLineCents: 150 });
    expect(await needs(launch(principal, 2))).toEqual([200n, 150n]);
    await launch(principal);
    await launch(await world.account(), 8);
  });
});

describe("a reservation of a prepaid account", () => {
  const make = (principal: Principal, from: number, to: number) =>
    reserve(world, principal, { instanceType: product.name, from, to });

  it("needs its whole price, which nothing else uses up", async () => {
    const principal = await world.account({ paymentTerms: "prepaid" });
    await pay(world, principal, 450);
    expect(await needs(make(principal, 1, 6))).toEqual([500n, 450n]);
    await make(principal, 1, 5);
    expect(await needs(launch(principal))).toEqual([100n, 50n]);
    expect(await needs(make(principal, 6, 7))).toEqual([100n, 50n]);
  });

  it("begins only if the balance still covers it, and is unfulfilled if it does not in time", async () => {
    const principal = await world.account({ paymentTerms: "prepaid" });
    await pay(world, principal, 400);
    const { id } = await make(principal, 1, 5);
    await pay(world, principal, -100);
    await travel(world.db, "61 minutes");
    await run(world, { toleranceSeconds: 300 });
    expect(await toldOf(world, id)).toEqual(["scheduled"]);
    await travel(world.db, "10 minutes");
    await run(world, { toleranceSeconds: 300 });
    expect(await toldOf(world, id)).toEqual(["scheduled", "unfulfilled"]);
    const { rows } = await sql<{ reason: string }>`select reason from reservations where id = ${id}`.execute(world.db);
    expect(rows[0]?.reason).toBe("The balance of its account did not cover its price.");
  });

  it("begins as soon as there is money again", async () => {
    const principal = await world.account({ paymentTerms: "prepaid" });
    await pay(world, principal, 400);
    const { id } = await make(principal, 1, 5);
    await pay(world, principal, -1);
    await travel(world.db, "61 minutes");
    await run(world, { toleranceSeconds: 300 });
    await pay(world, principal, 1);
    await run(world, { toleranceSeconds: 300 });
    expect(await toldOf(world, id)).toEqual(["scheduled", "active"]);
  });
});
