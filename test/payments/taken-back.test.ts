// Money that is refunded or disputed at the provider leaves the balance once, and comes back once where that ended well.

import { beforeEach, describe, expect, it } from "vitest";
import { listEntries } from "../../src/rental/ledger/entries.ts";
import { hintPayments } from "../../src/rental/payments/checks.ts";
import type { Principal } from "../../src/rental/service.ts";
import { booksDisagree } from "../support/books.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { worldOfFile } from "../support/world.ts";
import { paymentsOf } from "./fixture.ts";

const world = worldOfFile();
let stripe: FakeStripe;
let customer: Principal;
let id: string;
const { replica, settle, order, status, balance, pass, events } = paymentsOf(world, () => stripe);
/** As a webhook does, twice. */
async function told(): Promise<void> {
  for (let time = 0; time < 2; time++) {
    await world.tx((tx) => hintPayments(tx, [{ id }]));
    await Promise.all([settle(), settle()]);
  }
}
const kinds = async () => (await listEntries(world.db, customer.accountId, {})).map(({ kind }) => kind).reverse();

beforeEach(async () => {
  stripe = await startFakeStripe();
  customer = await world.account();
  id = await order(customer, 5000);
  stripe.world.pay(id);
  await told();
});

describe("a refund at the provider", () => {
  it("leaves the balance once, in parts too, and comes back if it fails", async () => {
    const first = stripe.world.refund(id, 1500);
    await told();
    expect(await balance(customer)).toBe(3500);
    stripe.world.refund(id, 9999);
    await told();
    expect([await balance(customer), await status(id)]).toEqual([0, "paid"]);
    stripe.world.failRefund(first);
    await told();
    expect([await balance(customer), await kinds()]).toEqual([1500, ["top_up", "refund", "refund", "reversal"]]);
    expect(await events(customer)).toEqual(["received", "refunded", "refunded", "refunded"]);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("is found without a webhook, by the provider's list of changes", async () => {
    const payments = replica();
    await payments.readChanges();
    await pass(86_400);
    stripe.world.refund(id, 5000);
    await payments.readChanges();
    await settle();
    expect(await balance(customer)).toBe(0);
  });

  it("is found without a webhook also if it came before that list was first read", async () => {
    await world.db.deleteFrom("payment_cursors").execute();
    await pass(86_400);
    stripe.world.refund(id, 2486);
    await pass(7200);
    await replica().readChanges();
    await settle();
    expect([await balance(customer), await kinds()]).toEqual([2514, ["top_up", "refund"]]);
    expect(await booksDisagree(world.db)).toEqual([]);
  });
});

describe("a dispute", () => {
  it("takes the money when it begins, and gives it back when it is won", async () => {
    const dispute = stripe.world.dispute(id, "needs_response");
    await told();
    expect(await balance(customer)).toBe(0);
    stripe.world.change(dispute, "under_review");
    await told();
    expect(await balance(customer)).toBe(0);
    stripe.world.change(dispute, "won");
    await told();
    expect([await balance(customer), await kinds()]).toEqual([5000, ["top_up", "chargeback", "reversal"]]);
    expect(await events(customer)).toEqual(["received", "disputed", "dispute_won"]);
  });

  it("that is lost takes it for good, also below zero", async () => {
    stripe.world.refund(id, 1000);
    const dispute = stripe.world.dispute(id, "needs_response");
    stripe.world.change(dispute, "lost");
    await told();
    expect([await balance(customer), await kinds()]).toEqual([0, ["top_up", "refund", "chargeback"]]);
  });

  it.each(["appeal_needs_response", "appeal_under_review", "another"] as const)(
    "that was lost and is %s brings nothing back",
    async (status) => {
      const dispute = stripe.world.dispute(id, "needs_response");
      stripe.world.change(dispute, "lost");
      await told();
      stripe.world.change(dispute, status);
      await told();
      expect([await balance(customer), await kinds()]).toEqual([0, ["top_up", "chargeback"]]);
      stripe.world.change(dispute, "won");
      await told();
      expect([await balance(customer), await kinds()]).toEqual([5000, ["top_up", "chargeback", "reversal"]]);
    },
  );

  it("that was prevented by paying back takes the money, and of what was refunded takes nothing", async () => {
    stripe.world.refund(id, 2000);
    stripe.world.change(stripe.world.dispute(id, "warning_needs_response"), "prevented");
    await told();
    expect([await balance(customer), await kinds()]).toEqual([0, ["top_up", "refund", "chargeback"]]);
    const other = await order(customer, 5000);
    stripe.world.pay(other);
    const dispute = stripe.world.dispute(other, "warning_needs_response");
    stripe.world.refund(other, 5000);
    if (dispute !== undefined) dispute.status = "needs_response"; // nothing was left to withdraw
    id = other;
    await told();
    expect(await balance(customer)).toBe(0);
  });

  it("that is an inquiry only, or was won before it was seen, takes nothing", async () => {
    const inquiry = stripe.world.dispute(id, "warning_needs_response");
    await told();
    stripe.world.change(inquiry, "warning_closed");
    const dispute = stripe.world.dispute(id, "needs_response");
    stripe.world.change(dispute, "won");
    await told();
    expect([await balance(customer), await kinds()]).toEqual([5000, ["top_up"]]);
  });
});
