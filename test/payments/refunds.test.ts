// Refunds that operators order are paid back at the provider once, whatever it responds and who tells of them first, and are
// never more than what is left of their payment.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { listEntries } from "../../src/rental/ledger/entries.ts";
import { hintPayments } from "../../src/rental/payments/checks.ts";
import { readPayment } from "../../src/rental/payments/payment-store.ts";
import { listRefunds, orderRefund } from "../../src/rental/payments/refund-store.ts";
import type { Principal } from "../../src/rental/service.ts";
import { refundStatuses } from "../../src/rules/payments.ts";
import { booksDisagree } from "../support/books.ts";
import { type FakeStripe, type StripeFate, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { refusal } from "../support/refusals.ts";
import { worldOfFile } from "../support/world.ts";
import { paymentsOf } from "./fixture.ts";

const world = worldOfFile();
let stripe: FakeStripe;
let customer: Principal;
let operator: Principal;
let id: string;
const { replica, settle, order, balance, pass, events } = paymentsOf(world, () => stripe);

const refund = (amountCents?: number, paymentId = id) =>
  world.tx((tx) => orderRefund(tx, operator, { paymentId, amountCents, reason: "Not satisfied" }));
const refunds = async () => listRefunds(world.db, await readPayment(world.db, id));
const statuses = async () => (await refunds()).map(({ status }) => status);
const kinds = async () => (await listEntries(world.db, customer.accountId, {})).map(({ kind }) => kind).reverse();
/** The library repeats what it sent over a connection that had ended, once. */
const lost = (fate: StripeFate) => stripe.next(/POST .*refunds/, ...(fate.startsWith("die") ? [fate, fate] : [fate]));
/** As a webhook does, twice. */
async function told(): Promise<void> {
  for (let time = 0; time < 2; time++) {
    await world.tx((tx) => hintPayments(tx, [{ id }]));
    await Promise.all([settle(), settle()]);
  }
}

beforeEach(async () => {
  await world.empty();
  stripe = await startFakeStripe();
  [customer, operator] = [await world.account(), await world.account()];
  id = await order(customer, 5000);
  stripe.world.pay(id);
  await told();
});

describe("a refund", () => {
  it("is committed, then ordered at the provider with its id, and leaves the balance once", async () => {
    const made = await refund(1500);
    expect(made).toMatchObject({ status: "created", amountCents: 1500, accountId: customer.accountId });
    expect([stripe.world.refunds, await balance(customer)]).toEqual([[], 5000]);
    expect(await settle()).toEqual([]);
    expect(stripe.world.refunds).toMatchObject([{ amount: 1500, metadata: { lessor_refund: made.id } }]);
    await told();
    expect(await refunds()).toMatchObject([{ status: "succeeded", providerRefundId: stripe.world.refunds[0]?.id }]);
    expect([await balance(customer), await kinds()]).toEqual([3500, ["top_up", "refund"]]);
    const [entry] = await listEntries(world.db, customer.accountId, {});
    expect(entry).toMatchObject({ reason: "Not satisfied", tokenId: operator.tokenId });
    expect(await events(customer)).toEqual(["received", "refunded"]);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("without an amount is all that is left, and then nothing is", async () => {
    stripe.world.refund(id, 1000);
    await told();
    expect(await refund()).toMatchObject({ amountCents: 4000 });
    await refusal("conflict", refund(1));
    await settle();
    await refusal("conflict", refund());
    expect([
      await balance(customer),
      (await refunds()).map(({ amountCents, id: ours }) => [amountCents, ours === null]),
    ]).toEqual([
      0,
      [
        [4000, false],
        [1000, true],
      ],
    ]);
  });

  it("is one of several that are ordered at once, if together they are too much", async () => {
    const made = await Promise.allSettled([refund(), refund(), refund(3000), refund(3000)]);
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await Promise.all([settle(), settle(), settle()]);
    expect(stripe.world.refunds).toHaveLength(1);
  });

  it("is one of many of the same payment, which all are ordered", async () => {
    for (let time = 0; time < 5; time++) await refund(1000);
    await Promise.all([settle(), settle()]);
    expect([stripe.world.refunds.length, await balance(customer)]).toEqual([5, 0]);
    expect(await statuses()).toEqual(Array.from({ length: 5 }, () => "succeeded"));
  });

  it("is only of a payment that is paid", async () => {
    const open = await order(customer, 700);
    await refusal("conflict", refund(100, open));
    await refusal("unknown-object", refund(100, crypto.randomUUID()));
  });

  it("that takes days has left the balance, and comes back if it fails", async () => {
    stripe.world.refundsBegin = "pending";
    await refund(1500);
    await settle();
    expect([await statuses(), await balance(customer)]).toEqual([["pending"], 3500]);
    await refund(500);
    await settle();
    const [first, second] = stripe.world.refunds;
    stripe.world.failRefund(first);
    stripe.world.settleRefund(second);
    await told();
    expect([await statuses(), await balance(customer)]).toEqual([["succeeded", "failed"], 4500]);
    expect((await refunds())[1]).toMatchObject({ failure: "lost_or_stolen_card" });
    expect(await kinds()).toEqual(["top_up", "refund", "refund", "reversal"]);
    expect(await events(customer)).toEqual(["received", "refunded", "refunded", "refund_failed", "refunded"]);
    expect(await refund(4500)).toMatchObject({ status: "created" });
  });

  it("that the provider refuses has failed, with its word, and is left to refund", async () => {
    stripe.world.dispute(id, "needs_response");
    await refund(5000);
    await settle();
    expect(await refunds()).toMatchObject([{ status: "failed", failure: "charge_disputed" }]);
    expect(await kinds()).toEqual(["top_up", "chargeback"]);
    expect(await events(customer)).toEqual(["received", "disputed", "refund_failed"]);
  });
});

describe("an order of a refund that gets no response", () => {
  it.each(["die-before", "die-after", "error-before", "error-after", "busy"] as const)(
    "(%s) becomes one refund, also by several replicas",
    async (fate) => {
      lost(fate);
      await refund(1500);
      expect(await settle()).toEqual([expect.stringContaining("unanswered")]);
      stripe.calm();
      expect(await statuses()).toEqual(["created"]);
      await refusal("conflict", refund(4000));
      await pass(30);
      await Promise.all([settle(), settle()]);
      expect([await statuses(), await balance(customer), await kinds()]).toEqual([
        ["succeeded"],
        3500,
        ["top_up", "refund"],
      ]);
      expect(stripe.world.refunds).toHaveLength(1);
    },
  );

  it("keeps its idempotency key while it can be in progress, and gets another after an error", async () => {
    lost("die-before");
    await refund(1500);
    await settle();
    stripe.calm();
    stripe.next(/POST .*refunds/, "error-before");
    for (let time = 0; time < 4; time++) {
      await settle();
      await pass(400);
    }
    const row = await world.db.selectFrom("payment_refunds").select("attempt").executeTakeFirst();
    expect([row?.attempt, stripe.world.refunds.length]).toEqual([1, 1]);
  });

  it("is found by its webhook, and by the list of changes", async () => {
    await replica().readChanges();
    lost("die-after");
    await refund(1500);
    await settle();
    stripe.calm();
    await pass(1);
    await replica().readChanges();
    await settle();
    expect([await statuses(), await balance(customer)]).toEqual([["succeeded"], 3500]);
  });

  it("is given up after half a day, when the provider says that it has none", async () => {
    lost("die-before");
    await refund(1500);
    await settle();
    stripe.calm();
    await pass(12 * 3600 + 10);
    expect(await settle()).toEqual([]);
    expect(await refunds()).toMatchObject([{ status: "failed", failure: "provider_unreachable" }]);
    expect(stripe.world.refunds).toEqual([]);
    expect(await refund()).toMatchObject({ amountCents: 5000 });
  });

  it("keeps nothing else of the payment back", async () => {
    stripe.next(/POST .*refunds/, "error-before");
    await refund(1500);
    stripe.world.dispute(id, "needs_response");
    await settle();
    expect(await balance(customer)).toBe(0);
  });
});

it("the database has the statuses of the table", async () => {
  const { rows } = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'payment_refunds_status'`.execute(
    world.db,
  );
  expect([...(rows[0]?.text.matchAll(/'([a-z_]+)'/g) ?? [])].map(([, word]) => word)).toEqual(refundStatuses);
});
