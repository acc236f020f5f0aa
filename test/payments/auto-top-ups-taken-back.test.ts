// What was paid back or disputed is not charged again by auto top-up, and what an account changes counts for what is not charged
// yet.

import { beforeEach, describe, expect, it } from "vitest";
import { Payments } from "../../src/payments/driver.ts";
import { openStripe } from "../../src/payments/stripe/open-stripe.ts";
import { liftHold } from "../../src/rental/accounts/holds.ts";
import { hintPayments } from "../../src/rental/payments/checks.ts";
import { orderRefund } from "../../src/rental/payments/refund-store.ts";
import type { Principal } from "../../src/rental/service.ts";
import { booksDisagree } from "../support/books.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { worldOfFile } from "../support/world.ts";
import { automaticOf } from "./automatic.ts";

const world = worldOfFile();
let stripe: FakeStripe;
let customer: Principal;
beforeEach(async () => {
  await world.empty();
  stripe = await startFakeStripe();
  customer = await world.account();
});
const fixture = automaticOf(world, () => stripe);
const { replica, settle, pass, balance, events, tick, save, turnOn, autoTopUp, intents, charged, order, orderFor } =
  fixture;
const told = () => events(customer, "auto_top_up");
const automatic = () =>
  world.db.selectFrom("payments").selectAll().where("payment_method_id", "is not", null).orderBy("id").execute();
const refund = (paymentId: string, amountCents?: number) =>
  world.tx((tx) => orderRefund(tx, customer, { paymentId, amountCents, reason: "Not wanted" }));

/** A top-up by the customer that arrived. */
async function topUp(cents: number): Promise<string> {
  const id = await order(customer, cents);
  stripe.world.pay(id);
  await world.tx((tx) => hintPayments(tx, [{ id }]));
  await settle();
  return id;
}

describe("a refund", () => {
  it.each([undefined, 4500])("of an automatic payment is not charged again (%s cents)", async (cents) => {
    await save(customer);
    await turnOn(customer);
    await tick();
    await refund((await automatic())[0]?.id ?? "", cents);
    await settle();
    for (let time = 0; time < 3; time++) {
      await tick();
      await pass(1000);
    }
    expect([intents(customer).length, await balance(customer)]).toEqual([1, cents === undefined ? 0 : 500]);
    expect([await told(), (await autoTopUp(customer))?.turnedOffReason]).toEqual([["turned_off"], "payment_refunded"]);
    await turnOn(customer);
    await tick();
    expect(charged(customer)).toBe(10_000);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("of what the customer paid is not charged either, nor is a payment that is ordered already", async () => {
    const id = await topUp(2000);
    await save(customer);
    await turnOn(customer, { thresholdCents: 2000 });
    await tick();
    expect(intents(customer)).toEqual([]);
    await refund(id, 1);
    await settle();
    await tick();
    expect([intents(customer), await told()]).toEqual([[], ["turned_off"]]);
    await turnOn(customer, { thresholdCents: 3000 });
    await orderFor(customer);
    await refund(id, 1);
    await world.tx((tx) => hintPayments(tx, [{ id }]));
    await world.db.updateTable("payments").set({ next_check_at: null }).where("id", "<>", id).execute();
    await settle();
    await world.tx(async (tx) => hintPayments(tx, await automatic()));
    await settle();
    expect([charged(customer), (await automatic()).map(({ failure }) => failure)]).toEqual([0, ["withdrawn"]]);
  });

  it("that leaves the balance above the threshold changes nothing", async () => {
    const id = await topUp(5000);
    await save(customer);
    await turnOn(customer);
    await refund(id, 4000);
    await settle();
    await tick();
    expect([await balance(customer), await told(), intents(customer)]).toEqual([1000, [], []]);
  });
});

describe("a dispute", () => {
  it.each(["hold", "none"] as const)(
    "ends charges, also if it holds nothing or the hold is lifted (%s)",
    async (policy) => {
      await save(customer);
      await turnOn(customer);
      const settings = { ...stripe.settings, onChargeback: policy };
      const payments = new Payments({ db: world.db, provider: openStripe(settings), settings });
      await tick(payments);
      const id = (await automatic())[0]?.id ?? "";
      stripe.world.dispute(id, "needs_response");
      await world.tx((tx) => hintPayments(tx, [{ id }]));
      await settle(payments);
      await world.tx((tx) => liftHold(tx, customer.accountId));
      await tick(payments);
      expect([intents(customer).length, await balance(customer), await told()]).toEqual([1, 0, ["turned_off"]]);
      expect(await autoTopUp(customer)).toMatchObject({ turnedOffReason: "payment_disputed" });
    },
  );
});

describe("a payment that is ordered and not charged yet is withdrawn", () => {
  it("when the cap is lowered below it", async () => {
    await save(customer);
    await turnOn(customer);
    await orderFor(customer);
    await turnOn(customer, { amountCents: 600, monthlyCapCents: 600 });
    await settle(replica());
    expect((await automatic()).map(({ failure }) => failure)).toEqual(["withdrawn"]);
    await pass(901);
    for (let time = 0; time < 3; time++) await tick();
    expect(charged(customer)).toBe(600);
  });

  it("when another method is to be charged", async () => {
    const [first, second] = [await save(customer), await save(customer)];
    await turnOn(customer, { paymentMethodId: first });
    await orderFor(customer);
    await turnOn(customer, { paymentMethodId: second });
    await settle();
    await pass(901);
    await tick();
    expect((await automatic()).map((one) => [one.payment_method_id, one.failure ?? one.status])).toEqual([
      [first, "withdrawn"],
      [second, "paid"],
    ]);
  });
});
