// Receipts of payments follow their money: what is refunded or disputed has credit notes, and what comes back a receipt.

import { beforeEach, describe, expect, it } from "vitest";
import { issueCreditNote } from "../../src/rental/invoices/credit-notes.ts";
import { listInvoices } from "../../src/rental/invoices/invoice-store.ts";
import { isIssuing, issueInvoices, keepInvoicing } from "../../src/rental/invoices/issue.ts";
import { hintPayments } from "../../src/rental/payments/checks.ts";
import { orderRefund } from "../../src/rental/payments/refund-store.ts";
import type { Principal } from "../../src/rental/service.ts";
import { netOf } from "../../src/rules/invoices.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { invoiceSettings } from "../support/invoices.ts";
import { worldOfFile } from "../support/world.ts";
import { paymentsOf } from "./fixture.ts";

const world = worldOfFile();
const settings = invoiceSettings({ taxOn: "top_ups" });
let stripe: FakeStripe;
let customer: Principal;
let id: string;
const { settle, order, balance } = paymentsOf(world, () => stripe);

const refund = (amountCents?: number) =>
  world.tx((tx) => orderRefund(tx, customer, { paymentId: id, amountCents, reason: "Not satisfied" }));
const told = async () => {
  await world.tx((tx) => hintPayments(tx, [{ id }]));
  expect(await settle()).toEqual([]);
};
const issue = async () => {
  await Promise.all([issueInvoices(world.db, settings), issueInvoices(world.db, settings)]);
  expect(await issueInvoices(world.db, settings)).toBe(0);
  expect(await isIssuing(world.db, "2026-01-01")).toBe(false);
};
/** Oldest first: kind, total, and of a credit note why. */
const all = async () =>
  (await listInvoices(world.db, { accountId: customer.accountId }, { descending: false })).map(
    ({ kind, sums, reason }) => [kind, sums.totalCents, ...(reason === null ? [] : [reason])],
  );
const sum = async () => (await all()).reduce((cents, [, total]) => cents + Number(total), 0);

beforeEach(async () => {
  await world.empty();
  stripe = await startFakeStripe();
  customer = await world.account();
  await keepInvoicing(world.db, settings);
  id = await order(customer, 5000);
  stripe.world.pay(id);
  await told();
});

describe("the receipt of a payment", () => {
  it("has one credit note of each refund, with its part of the tax", async () => {
    await issue();
    await refund(1500);
    await settle();
    await issue();
    await refund();
    await settle();
    await issue();
    const [first, second] = stripe.world.refunds;
    expect(await all()).toEqual([
      ["top_up", 5000],
      ["credit_note", -1500, `Refund ${first?.id}`],
      ["credit_note", -3500, `Refund ${second?.id}`],
    ]);
    const notes = await listInvoices(world.db, { accountId: customer.accountId, kind: "credit_note" }, {});
    const [all5000, part] = [netOf(5000, 2000), netOf(1500, 2000)];
    expect(notes.map(({ sums: { netCents } }) => netCents)).toEqual([part - all5000, -part]);
  });

  it("that is issued after the refund is corrected with it", async () => {
    await refund(1500);
    await settle();
    await issue();
    expect((await all()).map(([kind, cents]) => [kind, cents])).toEqual([
      ["top_up", 5000],
      ["credit_note", -1500],
    ]);
  });

  it("is followed by another when a refund fails or a dispute is won, which later refunds correct too", async () => {
    await refund(5000);
    await settle();
    stripe.world.failRefund(stripe.world.refunds[0]);
    await told();
    await issue();
    expect([await sum(), await balance(customer)]).toEqual([5000, 5000]);
    await refund(4000);
    await settle();
    const dispute = stripe.world.dispute(id, "needs_response");
    await told();
    await issue();
    expect([await sum(), await balance(customer)]).toEqual([0, 0]);
    stripe.world.change(dispute, "won");
    await told();
    await issue();
    expect([await sum(), await balance(customer)]).toEqual([1000, 1000]);
    expect((await all()).map(([kind, cents]) => [kind, cents])).toEqual([
      ["top_up", 5000],
      ["credit_note", -5000],
      ["top_up", 5000],
      ["credit_note", -4000],
      ["credit_note", -1000],
      ["top_up", 1000],
    ]);
  });

  it("is taken back no further than it is left, if an operator took back a part by hand", async () => {
    await issue();
    const [receipt] = await listInvoices(world.db, { accountId: customer.accountId }, {});
    const lines = [{ line: 1, amountCents: 4000 }];
    await world.tx((tx) => issueCreditNote(tx, settings, { invoiceId: receipt?.id ?? "", reason: "Typo", lines }));
    await refund(2000);
    await settle();
    await issue();
    expect(await sum()).toBe(0);
    stripe.world.failRefund(stripe.world.refunds[0]);
    await told();
    await issue();
    expect(await sum()).toBe(1000);
  });

  it("is not there for payments from before invoices, which are not corrected either", async () => {
    await keepInvoicing(world.db, undefined);
    await keepInvoicing(world.db, settings);
    await refund(1500);
    await settle();
    await issue();
    expect(await all()).toEqual([]);
  });
});
