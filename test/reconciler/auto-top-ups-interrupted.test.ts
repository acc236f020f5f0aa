// Processes that end at each point of an automatic payment, before and after what happens there: another one finds what they
// left, and there is one charge.

import { beforeEach, describe, expect, it } from "vitest";
import { chargePoints, type PaymentPoint } from "../../src/payments/points.ts";
import { removeAutoTopUp } from "../../src/rental/auto-top-ups/store.ts";
import type { Principal } from "../../src/rental/service.ts";
import { automaticOf } from "../payments/automatic.ts";
import { killedAt } from "../payments/fixture.ts";
import { booksDisagree } from "../support/books.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import type { Card } from "../support/fake-stripe/saved.ts";
import { worldOfFile } from "../support/world.ts";

const world = worldOfFile();
let stripe: FakeStripe;
let customer: Principal;
beforeEach(async () => {
  await world.empty();
  stripe = await startFakeStripe();
  customer = await world.account();
});
const { replica, pass, balance, events, tick, save, turnOn, intents, orderFor } = automaticOf(world, () => stripe);

const charging: readonly PaymentPoint[] = [
  ...(["automaticOrdered", "paymentClaimed", "chargePrepared", "chargeNoted"] as const),
  ...(["chargeConfirmed", "chargeRead", "paymentApplied"] as const),
];
const again: readonly PaymentPoint[] = ["chargeFound", "chargePrepared", "chargeNoted", "chargeConfirmed"];
const canceling: readonly PaymentPoint[] = ["chargeRead", "chargeCanceled", "paymentApplied"];

const cases = (points: readonly PaymentPoint[]) =>
  points.flatMap((point) => [[point, "before"] as const, [point, "after"] as const]);

async function endsAt(point: PaymentPoint, when: "before" | "after"): Promise<void> {
  const { gate, died } = killedAt(point, when);
  void tick(replica(gate));
  await died;
  await pass(90);
}

async function begin(card: Card = "good"): Promise<void> {
  await save(customer, card);
  await turnOn(customer);
}

describe("a process that ends", () => {
  it.each(cases(charging))("at %s (%s) while it charges leaves one charge", async (point, when) => {
    await begin();
    await endsAt(point, when);
    expect(await tick()).toEqual([]);
    expect([intents(customer).length, await balance(customer), await events(customer)]).toEqual([
      1,
      5000,
      ["received"],
    ]);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it.each(cases(charging))("at %s (%s) while the card is declined counts one decline", async (point, when) => {
    await begin("declining");
    await endsAt(point, when);
    expect(await tick()).toEqual([]);
    expect([intents(customer).length, await events(customer), await events(customer, "auto_top_up")]).toEqual([
      ...[1, ["failed"], []],
    ]);
    await pass(901);
    await tick();
    expect(await events(customer, "auto_top_up")).toEqual(["turned_off"]);
  });

  it.each(cases(again))("at %s (%s) while it tries again leaves one charge", async (point, when) => {
    await begin();
    await orderFor(customer);
    stripe.next(/POST .*payment_intents$/, "error-before");
    await tick();
    await pass(30);
    await endsAt(point, when);
    await tick();
    expect([intents(customer).length, await balance(customer)]).toEqual([1, 5000]);
  });

  it.each(cases(canceling))("at %s (%s) while it cancels leaves no charge", async (point, when) => {
    await begin();
    stripe.next(/POST .*confirm/, "error-before");
    await tick();
    await world.tx((tx) => removeAutoTopUp(tx, customer.accountId));
    await pass(30);
    await endsAt(point, when);
    await tick();
    expect([intents(customer).map(({ status }) => status), await balance(customer)]).toEqual([["canceled"], 0]);
    const rows = await world.db.selectFrom("payments").select("status").execute();
    expect(rows[0]?.status).toMatch(/failed|canceled/);
  });

  it("does so at each point that there is", () => {
    const all: readonly PaymentPoint[] = [...charging, ...again, ...canceling];
    expect(all).toEqual(expect.arrayContaining([...chargePoints]));
  });
});
