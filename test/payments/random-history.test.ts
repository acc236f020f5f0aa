// Random histories of payments: customers who order, pay, decline and forget; a provider where money is refunded and disputed, that answers errors after the work or
// before it, or not at all; webhooks that are lost, doubled, reordered and days late; replicas at once and ended at any point.
// Whatever happens, the balance is what arrived at the provider and is still there.
//
// npm test plays a few of them, npm run test:crash many.
// LESSOR_TEST_RUNS says how many histories; LESSOR_TEST_SEED repeats what failed, which prints it.

import { beforeAll, expect, it } from "vitest";
import type { Payments } from "../../src/payments/driver.ts";
import { paymentPoints } from "../../src/payments/points.ts";
import { RentalError } from "../../src/rental/errors.ts";
import { orderRefund } from "../../src/rental/payments/refund-store.ts";
import type { Principal } from "../../src/rental/service.ts";
import { booksDisagree } from "../support/books.ts";
import { histories } from "../support/extent.ts";
import { type FakeStripe, type StripeFate, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import type { StripeEvent } from "../support/fake-stripe/world.ts";
import { chosenSeed, type Random, seeded } from "../support/random.ts";
import { afterFile } from "../support/when-over.ts";
import { worldOfFile } from "../support/world.ts";
import { killedAt, paymentsOf } from "./fixture.ts";

const runs = histories(2, 60);
const steps = 40;

const world = worldOfFile();
const whenOver = afterFile();
let stripe: FakeStripe;
beforeAll(async () => {
  stripe = await startFakeStripe(whenOver);
});
const { replica, settle, pass, balance } = paymentsOf(world, () => stripe);

const fates: readonly StripeFate[] = ["die-before", "die-after", "error-before", "error-after", "busy"];
const happened = new Map<string, number>();

class History {
  readonly #random: Random;
  readonly #customers: readonly Principal[];
  readonly #replica = replica();
  /** Webhooks that have not arrived. */
  readonly #waiting: StripeEvent[] = [];
  #seen = 0;

  constructor(random: Random, customers: readonly Principal[]) {
    [this.#random, this.#customers] = [random, customers];
  }

  async step(): Promise<void> {
    const [name, act] = this.#random.one(this.#moves);
    happened.set(name, (happened.get(name) ?? 0) + 1);
    await act();
    const { events } = stripe.world;
    this.#waiting.push(...events.slice(this.#seen));
    this.#seen = events.length;
  }

  /** All webhooks of the rest are lost, the provider is well again, and time passes. */
  async rest(): Promise<void> {
    stripe.calm();
    for (let time = 0; time < 6; time++) {
      await pass(7200);
      await this.#replica.readChanges();
      await settle(this.#replica);
    }
  }

  readonly #of = (act: (id: string) => void) => async () => {
    const { sessions } = stripe.world;
    const id = sessions[this.#random.below(sessions.length)]?.client_reference_id;
    if (id !== undefined && id !== null) act(id);
  };

  /** Everything that can happen. What is there twice happens twice as often. */
  readonly #moves: readonly (readonly [name: string, act: () => Promise<unknown>])[] = [
    ["order", () => this.#order(this.#replica)],
    ["order", () => this.#order(this.#replica)],
    ["pay", this.#of((id) => stripe.world.pay(id))],
    ["pay", this.#of((id) => stripe.world.pay(id))],
    ["debit", this.#of((id) => stripe.world.pay(id, "debit"))],
    ["debit good", this.#of((id) => stripe.world.settleDebit(id, true))],
    ["debit bad", this.#of((id) => stripe.world.settleDebit(id, false))],
    ["decline", this.#of((id) => stripe.world.decline(id))],
    ["expire", this.#of((id) => stripe.world.expire(id))],
    ["refund", this.#of((id) => stripe.world.refund(id, 1 + this.#random.below(4000)))],
    ["refund ordered", () => this.#refund()],
    ["refund ordered", () => this.#refund()],
    ["refunds take days", async () => this.#changeRefunds()],
    ["refund settled", async () => stripe.world.settleRefund(this.#any(stripe.world.refunds))],
    ["refund failed", async () => stripe.world.failRefund(this.#any(stripe.world.refunds))],
    [
      "dispute",
      this.#of((id) => stripe.world.dispute(id, this.#random.one(["needs_response", "warning_needs_response"]))),
    ],
    ["dispute goes on", async () => this.#goesOn()],
    ["fault", async () => stripe.next(/./, this.#random.one(fates), this.#random.one(fates))],
    ["webhook", () => this.#webhook({ isDoubled: false })],
    ["webhook", () => this.#webhook({ isDoubled: false })],
    ["webhook twice", () => this.#webhook({ isDoubled: true })],
    ["webhook lost", async () => this.#take()],
    ["check", () => settle(this.#replica)],
    ["checks at once", () => Promise.all([settle(), settle(this.#replica)])],
    ["changes", () => this.#replica.readChanges().catch(() => {})],
    ["time", () => pass(this.#random.one([20, 400, 4000, 90_000]))],
    ["kill", () => this.#kill()],
  ];

  #any<T>(list: readonly T[]): T | undefined {
    return list[this.#random.below(list.length)];
  }

  /** What is decided stays so. */
  #goesOn(): void {
    const dispute = this.#any(
      stripe.world.disputes.filter(({ status }) => !/^(won|lost|warning_closed)$/.test(status)),
    );
    const isInquiry = dispute?.status.startsWith("warning") === true;
    stripe.world.change(dispute, isInquiry ? "warning_closed" : this.#random.one(["under_review", "won", "lost"]));
  }

  async #order(payments: Payments): Promise<void> {
    // Too many open ones are rejected.
    await payments.order(this.#random.one(this.#customers), 500 + this.#random.below(10_000)).catch(() => {});
  }

  /** Of what is left, or more, which is rejected. */
  async #refund(): Promise<void> {
    const all = await world.db
      .selectFrom("payments")
      .select(["id", "account_id"])
      .where("status", "=", "paid")
      .execute();
    const payment = this.#any(all);
    const by = this.#any(this.#customers);
    if (payment === undefined || by === undefined) return;
    const amountCents = this.#random.below(4) === 0 ? undefined : 1 + this.#random.below(3000);
    await world
      .tx((tx) => orderRefund(tx, by, { paymentId: payment.id, amountCents, reason: "Not satisfied" }))
      .catch((error: unknown) => {
        if (!(error instanceof RentalError)) throw error;
      });
  }

  #changeRefunds(): void {
    const { world: there } = stripe;
    there.refundsBegin = there.refundsBegin === "pending" ? "succeeded" : "pending";
  }

  #take(): StripeEvent | undefined {
    return this.#waiting.splice(this.#random.below(this.#waiting.length + 1), 1)[0];
  }

  async #webhook({ isDoubled }: { isDoubled: boolean }): Promise<void> {
    const event = this.#take();
    if (event === undefined) return;
    const body = JSON.stringify(event);
    for (let time = 0; time < (isDoubled ? 2 : 1); time++) {
      await this.#replica.takeWebhook(Buffer.from(body), stripe.signed(body));
    }
  }

  /** A process begins something, and ends at a point if it comes there. */
  async #kill(): Promise<void> {
    const { gate, died } = killedAt(this.#random.one(paymentPoints), this.#random.one(["before", "after"]));
    const dying = replica(gate);
    const acts = [() => this.#order(dying), () => settle(dying), () => dying.readChanges().catch(() => {})];
    await Promise.race([died, this.#random.one(acts)()]);
  }
}

async function play(seed: number): Promise<void> {
  await world.empty();
  stripe.calm();
  for (const list of [
    ...[stripe.world.sessions, stripe.world.intents, stripe.world.events],
    ...[stripe.world.refunds, stripe.world.disputes],
  ])
    list.length = 0;
  const customers = [await world.account(), await world.account()];
  const history = new History(seeded(seed), customers);
  for (let step = 0; step < steps; step++) await history.step();
  await history.rest();
  for (const customer of customers) {
    expect(await balance(customer)).toBe(stripe.world.received(customer.accountId));
  }
  const paid = await world.db.selectFrom("payments").select("id").where("status", "=", "paid").execute();
  const good = stripe.world.intents
    .filter(({ status }) => status === "succeeded")
    .map(({ metadata }) => metadata.lessor_payment);
  expect(paid.map(({ id }) => id).sort()).toEqual(good.sort());
  await agreeOnRefunds();
  expect(await booksDisagree(world.db)).toEqual([]);
}

/** Each refund that was ordered is once at the provider, or failed and is not, and has its status. */
async function agreeOnRefunds(): Promise<void> {
  const ordered = await world.db.selectFrom("payment_refunds").selectAll().execute();
  const there = stripe.world.refunds.filter(({ metadata }) => metadata?.lessor_refund !== undefined);
  expect(new Set(there.map(({ metadata }) => metadata?.lessor_refund)).size).toBe(there.length);
  for (const { id, amount_cents: amount, status, provider_refund_id: theirs } of ordered) {
    const found = there.find(({ metadata }) => metadata?.lessor_refund === id);
    if (found === undefined) expect([status, theirs]).toEqual(["failed", null]);
    else expect([found.id, found.amount, found.status]).toEqual([theirs, amount, status]);
  }
}

it("the balance is what arrived at the provider, in every history", { timeout: 60_000 + runs * 10_000 }, async () => {
  for (let run = 0; run < runs; run++) {
    const seed = chosenSeed + run;
    try {
      await play(seed);
    } catch (error) {
      throw new Error(`LESSOR_TEST_SEED=${seed} LESSOR_TEST_RUNS=1`, { cause: error });
    }
  }
  process.stdout.write(`${[...happened].map(([name, times]) => `${name}: ${times}`).join(", ")}\n`);
});
