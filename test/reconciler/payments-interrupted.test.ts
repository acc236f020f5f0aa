// Processes that end at each point of a payment, before and after what happens there: another one finds what they left, and
// each payment is credited, and each refund paid back, once.

import { beforeEach, describe, expect, it } from "vitest";
import { type PaymentPoint, paymentPoints } from "../../src/payments/points.ts";
import { readPayment } from "../../src/rental/payments/payment-store.ts";
import { listRefunds, orderRefund } from "../../src/rental/payments/refund-store.ts";
import type { Principal } from "../../src/rental/service.ts";
import { killedAt, paymentsOf } from "../payments/fixture.ts";
import { booksDisagree } from "../support/books.ts";
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
const { replica, settle, pass, balance, events } = paymentsOf(world, () => stripe);

const ordering: readonly PaymentPoint[] = ["paymentOrdered", "paymentCreated", "paymentApplied"];
const checking: readonly PaymentPoint[] = ["paymentClaimed", "paymentRead", "paymentApplied"];
const searching: readonly PaymentPoint[] = ["paymentFound", "paymentCreated", "paymentApplied"];
const refunding: readonly PaymentPoint[] = ["paymentClaimed", "paymentRead", "refundCreated", "paymentApplied"];
const listing: readonly PaymentPoint[] = ["paymentChangesListed", "paymentChangesNoted"];

const cases = (points: readonly PaymentPoint[]) =>
  points.flatMap((point) => [[point, "before"] as const, [point, "after"] as const]);

/** What the customer sees of it in the end: the ids of the payments with a page. */
async function pages(): Promise<string[]> {
  const rows = await world.db.selectFrom("payments").select(["id", "status"]).execute();
  return rows.filter(({ status }) => status === "pending").map(({ id }) => id);
}

/** All that there is to pay is paid, reported by nothing, and found. */
async function paysAll(): Promise<number> {
  const open = await pages();
  for (const id of open) stripe.world.pay(id);
  await pass(7200);
  expect(await settle()).toEqual([]);
  return open.length;
}

describe("a process that ends", () => {
  it.each(cases(ordering))("at %s (%s) while it orders leaves one page, or no payment", async (point, when) => {
    const { gate, died } = killedAt(point, when);
    void replica(gate).order(customer, 5000);
    await died;
    await pass(90);
    expect(await settle()).toEqual([]);
    const isThere = point !== "paymentOrdered" || when === "after";
    expect(stripe.world.sessions).toHaveLength(isThere ? 1 : 0);
    expect(await paysAll()).toBe(isThere ? 1 : 0);
    expect(await balance(customer)).toBe(isThere ? 5000 : 0);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it.each(cases(ordering))(
    "at %s (%s) is asked again by the same request, which orders no second one",
    async (point, when) => {
      const { gate, died } = killedAt(point, when);
      void replica(gate).order(customer, 5000, "request");
      await died;
      const id = await replica().order(customer, 5000, "request");
      const others = [
        await replica().order(customer, 5000, "another request"),
        await replica().order(await world.account(), 5000, "request"),
      ];
      expect(new Set([id, ...others]).size).toBe(3);
      await pass(90);
      expect(await settle()).toEqual([]);
      expect(await paysAll()).toBe(3);
      expect(await balance(customer)).toBe(10_000);
      expect(await replica().order(customer, 5000, "request")).toBe(id);
      await pass(86_400);
      expect(await replica().order(customer, 5000, "request")).not.toBe(id);
    },
  );

  it.each(cases(searching))("at %s (%s) while it orders again leaves one page", async (point, when) => {
    stripe.next(/POST .*sessions/, "error-before");
    await replica().order(customer, 5000);
    await pass(30);
    const { gate, died } = killedAt(point, when);
    void replica(gate).checkNext();
    await died;
    await pass(90);
    expect(await settle()).toEqual([]);
    expect([stripe.world.sessions.length, await paysAll(), await balance(customer)]).toEqual([1, 1, 5000]);
  });

  it.each(cases(checking))("at %s (%s) while it checks credits once", async (point, when) => {
    const id = await replica().order(customer, 5000);
    stripe.world.pay(id);
    await pass(30);
    const { gate, died } = killedAt(point, when);
    void replica(gate).checkNext();
    await died;
    await pass(90);
    expect(await settle()).toEqual([]);
    expect([await balance(customer), await events(customer)]).toEqual([5000, ["received"]]);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it.each(cases(refunding))("at %s (%s) while it pays back does so once", async (point, when) => {
    const id = await replica().order(customer, 5000);
    stripe.world.pay(id);
    await pass(30);
    expect(await settle()).toEqual([]);
    await world.tx((tx) => orderRefund(tx, customer, { paymentId: id, amountCents: 1500, reason: "Not satisfied" }));
    const { gate, died } = killedAt(point, when);
    void replica(gate).checkNext();
    await died;
    await pass(90);
    expect(await settle()).toEqual([]);
    expect([stripe.world.refunds.length, await balance(customer)]).toEqual([1, 3500]);
    expect(await listRefunds(world.db, await readPayment(world.db, id))).toMatchObject([{ status: "succeeded" }]);
    expect(await events(customer)).toEqual(["received", "refunded"]);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it.each(cases(listing))("at %s (%s) while it reads changes leaves them to the next", async (point, when) => {
    await replica().readChanges();
    const id = await replica().order(customer, 5000);
    stripe.world.pay(id);
    const { gate, died } = killedAt(point, when);
    void replica(gate).readChanges();
    await died;
    await replica().readChanges();
    expect(await settle()).toEqual([]);
    expect([await balance(customer), await events(customer)]).toEqual([5000, ["received"]]);
  });

  it("does so at each point that there is", () => {
    expect(new Set([...ordering, ...checking, ...searching, ...refunding, ...listing])).toEqual(new Set(paymentPoints));
  });
});
