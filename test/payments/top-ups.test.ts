// A payment at the provider becomes a credit, once, whatever the provider answers, and whatever becomes of its webhooks.

import { beforeEach, describe, expect, it } from "vitest";
import { hintPayments } from "../../src/rental/payments/checks.ts";
import type { Principal } from "../../src/rental/service.ts";
import { canBecome, mostOpenPayments, paymentStatuses } from "../../src/rules/payments.ts";
import { booksDisagree } from "../support/books.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { refusal } from "../support/refusals.ts";
import { worldOfFile } from "../support/world.ts";
import { paymentsOf } from "./fixture.ts";

const world = worldOfFile();
let stripe: FakeStripe;
let customer: Principal;
beforeEach(async () => {
  stripe = await startFakeStripe();
  customer = await world.account();
});
const { replica, settle, order, status, payment, balance, pass, events } = paymentsOf(world, () => stripe);
/** As a webhook does. */
const hint = (id: string) => world.tx((tx) => hintPayments(tx, [{ id }]));

describe("a top-up", () => {
  it("has a page at once, and credits when it is paid", async () => {
    const id = await order(customer, 5000);
    expect(await payment(id)).toMatchObject({
      status: "pending",
      checkoutUrl: stripe.world.of(id).url,
      currency: "usd",
    });
    expect(stripe.world.of(id)).toMatchObject({
      ...{ amount_total: 5000, currency: "usd", metadata: { lessor_payment: id, lessor_account: customer.accountId } },
      success_url: `https://cloud.acme.example/balance?top_up=${id}`,
    });
    expect(await balance(customer)).toBe(0);
    stripe.world.pay(id);
    await hint(id);
    expect(await settle()).toEqual([]);
    expect(await payment(id)).toMatchObject({ status: "paid", checkoutUrl: null, paidAt: expect.any(Date) });
    expect([await balance(customer), await events(customer)]).toEqual([5000, ["received"]]);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("is credited once, however often and late it is reported, also by replicas at once", async () => {
    const id = await order(customer);
    stripe.world.pay(id);
    for (let time = 0; time < 3; time++) {
      await hint(id);
      await Promise.all([settle(), settle(), settle()]);
    }
    await pass(3 * 86_400);
    await hint(id);
    await settle();
    expect([await balance(customer), await events(customer)]).toEqual([5000, ["received"]]);
  });

  it("is found paid without any webhook", async () => {
    const id = await order(customer);
    stripe.world.pay(id);
    await settle();
    expect(await status(id)).toBe("pending");
    await pass(15);
    await settle();
    expect([await status(id), await balance(customer)]).toEqual(["paid", 5000]);
  });

  it("of a method that takes days credits when the money is there", async () => {
    const [good, bad] = [await order(customer, 700), await order(customer, 900)];
    for (const id of [good, bad]) stripe.world.pay(id, "debit");
    await pass(15);
    await settle();
    expect([await status(good), await status(bad), await balance(customer)]).toEqual(["processing", "processing", 0]);
    stripe.world.settleDebit(good, true);
    stripe.world.settleDebit(bad, false);
    await pass(3 * 86_400);
    await settle();
    expect([await status(good), await status(bad), await balance(customer)]).toEqual(["paid", "failed", 700]);
    expect(await payment(bad)).toMatchObject({ failure: "payment_method_provider_decline" });
    expect(await events(customer)).toEqual(expect.arrayContaining(["received", "failed"]));
  });

  it("stays open while cards are declined, and expires", async () => {
    const id = await order(customer);
    stripe.world.decline(id);
    await hint(id);
    await settle();
    expect(await status(id)).toBe("pending");
    stripe.world.expire(id);
    await hint(id);
    await settle();
    expect(await payment(id)).toMatchObject({ status: "expired", checkoutUrl: null });
    expect([await balance(customer), await events(customer)]).toEqual([0, []]);
  });

  it("is of an amount that the service takes, and few are open at once", async () => {
    for (const cents of [499, 1_000_001]) {
      expect((await refusal("invalid-parameters", order(customer, cents))).fields).toHaveProperty("amount_cents");
    }
    for (let open = 0; open < mostOpenPayments; open++) await order(customer);
    expect(await refusal("quota-exceeded", order(customer))).toMatchObject({ limit: mostOpenPayments });
    expect(stripe.requests).toHaveLength(mostOpenPayments);
  });

  it("credits nothing if the provider has another amount or currency", async () => {
    for (const change of [{ amount_total: 1 }, { currency: "eur" }]) {
      const id = await order(customer);
      stripe.world.pay(id);
      Object.assign(stripe.world.of(id), change);
      Object.assign(stripe.world.intentOf(stripe.world.of(id)), { amount_received: 1, ...change });
      await hint(id);
      expect(await settle()).toEqual([expect.stringMatching(/^the provider has 1 usd|eur for the payment/)]);
      expect([await status(id), await balance(customer)]).toEqual(["pending", 0]);
    }
  });
});

describe("an order that gets no response", () => {
  it.each(["die-before", "die-after", "error-before", "error-after", "busy"] as const)(
    "(%s) becomes one page, which comes later",
    async (fate) => {
      stripe.next(/POST .*sessions/, fate);
      const id = await order(customer);
      if (await status(id).then((now) => now === "created")) {
        expect(await payment(id)).toMatchObject({ checkoutUrl: null });
        await pass(30);
        expect(await settle()).toEqual([]);
      }
      expect(await payment(id)).toMatchObject({ status: "pending", checkoutUrl: stripe.world.of(id).url });
      expect(stripe.world.sessions).toHaveLength(1);
    },
  );

  it("is refused for good if the provider refuses it", async () => {
    stripe.next(/POST .*sessions/, "refuse");
    const id = await order(customer);
    expect(await payment(id)).toMatchObject({ status: "failed", failure: "provider_rejected" });
    expect(await events(customer)).toEqual(["failed"]);
  });

  it("is given up after ten minutes, when the provider says that it has none", async () => {
    const everything = /GET|POST/;
    stripe.next(everything, "error-before");
    const id = await order(customer);
    await pass(700);
    stripe.next(everything, "error-before");
    expect(await settle()).toEqual([expect.stringContaining("unanswered")]);
    expect(await status(id)).toBe("created");
    await pass(60);
    expect(await settle()).toEqual([]);
    expect(await payment(id)).toMatchObject({ status: "failed", failure: "provider_unreachable" });
    expect(stripe.world.sessions).toEqual([]);
  });

  it("is credited if it is paid all the same", async () => {
    stripe.next(/POST .*sessions/, "die-after", "die-after");
    const id = await order(customer);
    await pass(700);
    stripe.next(/GET/, "error-before");
    await settle();
    stripe.world.pay(id);
    await hint(id);
    await settle();
    expect([await status(id), await balance(customer)]).toEqual(["paid", 5000]);
  });
});

describe("the provider's list of changes", () => {
  it("finds what no webhook and no check came for", async () => {
    const payments = replica();
    await payments.readChanges();
    const id = await order(customer);
    stripe.world.expire(id);
    await hint(id);
    await settle();
    expect(await status(id)).toBe("expired");
    await pass(1000);
    await payments.readChanges();
    // As if the money had arrived after all.
    Object.assign(stripe.world.of(id), { status: "open" });
    stripe.world.pay(id);
    await payments.readChanges();
    await settle();
    expect([await status(id), await balance(customer)]).toEqual(["paid", 5000]);
  });

  it("makes nothing due that was checked since", async () => {
    const payments = replica();
    await payments.readChanges();
    const id = await order(customer);
    stripe.world.pay(id);
    await pass(150);
    await settle();
    const before = stripe.requests.length;
    await payments.readChanges();
    await settle();
    expect(stripe.requests.length - before).toBe(1);
  });

  it("is read over several pages, and all is checked when it does not reach back far enough", async () => {
    const payments = replica();
    await payments.readChanges();
    const paid = await order(customer);
    for (let event = 0; event < 150; event++) stripe.world.happened("payment_intent.canceled", { id: `pi_${event}` });
    stripe.world.pay(paid);
    for (let event = 0; event < 150; event++) stripe.world.happened("payment_intent.canceled", { id: `pi_${event}` });
    await payments.readChanges();
    await settle();
    expect(await status(paid)).toBe("paid");
    await pass(30 * 86_400);
    const before = stripe.requests.length;
    await payments.readChanges();
    await settle();
    expect(stripe.requests.slice(before).map(({ path }) => path)).toContain(
      `/v1/checkout/sessions/${stripe.world.of(paid).id}`,
    );
  });

  it("is read again after a failure", async () => {
    const payments = replica();
    await payments.readChanges();
    stripe.next(/events/, "error-before");
    await expect(payments.readChanges()).rejects.toMatchObject({ kind: "unanswered" });
    await payments.readChanges();
  });
});

it("credits only what is paid, by the table of statuses", () => {
  for (const status of paymentStatuses) {
    expect(canBecome(status, "paid")).toBe(status !== "paid");
    expect(canBecome("paid", status)).toBe(false);
    expect(canBecome(status, "created")).toBe(false);
  }
});
