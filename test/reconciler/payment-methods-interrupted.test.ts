// Processes that end at each point of the saving and removal of a payment method, before and after what happens there: another
// one finds what they left, and there is one page of one customer, and nothing that was removed is left at the provider.

import { beforeEach, describe, expect, it } from "vitest";
import { methodPoints, type PaymentPoint } from "../../src/payments/points.ts";
import { hintMethods } from "../../src/rental/payment-methods/checks.ts";
import { listMethods, removeMethod } from "../../src/rental/payment-methods/method-store.ts";
import type { Principal } from "../../src/rental/service.ts";
import { killedAt, paymentsOf } from "../payments/fixture.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { worldOfFile } from "../support/world.ts";

const world = worldOfFile();
let stripe: FakeStripe;
let customer: Principal;
beforeEach(async () => {
  await world.empty();
  stripe = await startFakeStripe();
  customer = await world.account();
});
const { replica, settle, pass, events } = paymentsOf(world, () => stripe);

const ordering: readonly PaymentPoint[] = [
  ...(["methodOrdered", "customerCreated", "customerNoted", "methodCreated", "methodApplied"] as const),
];
const searching: readonly PaymentPoint[] = ["customerFound", "methodFound", "methodCreated", "methodApplied"];
const checking: readonly PaymentPoint[] = ["methodClaimed", "methodRead", "methodApplied"];
const removing: readonly PaymentPoint[] = ["methodClaimed", "methodDetached", "methodApplied"];
const ending: readonly PaymentPoint[] = ["methodRead", "methodPageEnded", "methodApplied"];
const renewing: readonly PaymentPoint[] = ["customerForgotten"];

const cases = (points: readonly PaymentPoint[]) =>
  points.flatMap((point) => [[point, "before"] as const, [point, "after"] as const]);
const ids = async () => (await listMethods(world.db, customer.accountId, { limit: 10 })).map(({ id }) => id);
const order = () => replica().methods.order(customer);
const told = () => events(customer, "payment_method");

async function endsAt(point: PaymentPoint, when: "before" | "after"): Promise<void> {
  const { gate, died } = killedAt(point, when);
  const dying = replica(gate);
  void dying.methods.checkNext();
  await died;
  await pass(90);
}

/** All that there is to enter is entered, reported by nothing, and found. */
async function entersAll(): Promise<void> {
  for (const id of await ids()) stripe.world.saved.enter(id);
  await pass(7200);
  expect(await settle()).toEqual([]);
}

describe("a process that ends", () => {
  it.each(cases(ordering))("at %s (%s) while it orders leaves one page, or no method", async (point, when) => {
    const { gate, died } = killedAt(point, when);
    void replica(gate).methods.order(customer);
    await died;
    await pass(90);
    expect(await settle()).toEqual([]);
    const isThere = point !== "methodOrdered" || when === "after";
    const count = isThere ? 1 : 0;
    expect([stripe.world.sessions.length, stripe.world.saved.customers.length]).toEqual([count, count]);
    await entersAll();
    expect(await told()).toEqual(isThere ? ["added"] : []);
  });

  it.each(cases(searching))("at %s (%s) while it orders again leaves one page", async (point, when) => {
    stripe.next(/POST/, "error-before");
    if (point === "methodFound") stripe.calm();
    if (point === "methodFound") stripe.next(/POST .*sessions/, "error-before");
    await order();
    await pass(30);
    await endsAt(point, when);
    expect(await settle()).toEqual([]);
    expect([stripe.world.sessions.length, stripe.world.saved.customers.length]).toEqual([1, 1]);
    await entersAll();
    expect(await told()).toEqual(["added"]);
  });

  it.each(cases(checking))("at %s (%s) while it checks saves once", async (point, when) => {
    stripe.world.saved.enter(await order());
    await pass(30);
    await endsAt(point, when);
    expect(await settle()).toEqual([]);
    expect(await told()).toEqual(["added"]);
  });

  it.each(cases(removing))("at %s (%s) while it removes leaves nothing at the provider", async (point, when) => {
    const id = await order();
    stripe.world.saved.enter(id);
    await world.tx((tx) => hintMethods(tx, [{ id }]));
    await settle();
    await world.tx((tx) => removeMethod(tx, customer.accountId, id));
    await endsAt(point, when);
    expect(await settle()).toEqual([]);
    expect([stripe.world.saved.methods.map((one) => one.customer), await ids()]).toEqual([[null], []]);
    expect(await told()).toEqual(["added", "removed"]);
  });

  it.each(cases(ending))("at %s (%s) while it ends a page leaves none", async (point, when) => {
    const id = await order();
    await world.tx((tx) => removeMethod(tx, customer.accountId, id));
    await endsAt(point, when);
    expect(await settle()).toEqual([]);
    expect([stripe.world.of(id).status, await told()]).toEqual(["expired", []]);
  });

  it.each(cases(renewing))("at %s (%s) after its customer was removed gets a new one", async (point, when) => {
    await order();
    stripe.world.saved.removeCustomer(stripe.world.saved.customers[0]?.id ?? "");
    const { gate, died } = killedAt(point, when);
    void replica(gate).methods.order(customer);
    await died;
    for (let time = 0; time < 2; time++) {
      await pass(90);
      await settle();
    }
    expect(stripe.world.saved.customers).toHaveLength(1);
    expect(stripe.world.sessions.at(-1)?.customer).toBe(stripe.world.saved.customers[0]?.id);
  });

  it("does so at each point that there is", () => {
    const all = [...ordering, ...searching, ...checking, ...removing, ...ending, ...renewing];
    expect(new Set(all)).toEqual(new Set(methodPoints));
  });
});
