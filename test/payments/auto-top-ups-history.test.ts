// Random histories of automatic top-ups: accounts that spend, save cards that are good, declined, slow or to be authenticated,
// remove them, and turn top-ups on and off; a provider that answers errors after the work or before it, or not at all;
// webhooks that are lost, doubled and days late; replicas at once, ended at any point, or standing still for days. Whatever
// happens: one charge of an account is in progress at a time, of a month no more than the cap, none after two declines, and
// the balance is what arrived at the provider and is still there, less what was spent.
//
// npm test plays a few of them, npm run test:crash many.
// LESSOR_TEST_RUNS says how many histories; LESSOR_TEST_SEED repeats what failed, which prints it.

import { beforeAll, expect, it } from "vitest";
import {
  chargePoints,
  methodPoints,
  type PaymentGate,
  type PaymentPoint,
  paymentPoints,
} from "../../src/payments/points.ts";
import { removeAutoTopUp } from "../../src/rental/auto-top-ups/store.ts";
import { listMethods, removeMethod } from "../../src/rental/payment-methods/method-store.ts";
import type { Principal } from "../../src/rental/service.ts";
import { openPaymentStatuses } from "../../src/rules/payments.ts";
import { booksDisagree } from "../support/books.ts";
import { histories } from "../support/extent.ts";
import { type FakeStripe, type StripeFate, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import type { Card } from "../support/fake-stripe/saved.ts";
import type { Intent, StripeEvent } from "../support/fake-stripe/world.ts";
import { chosenSeed, type Random, seeded } from "../support/random.ts";
import { afterFile } from "../support/when-over.ts";
import { worldOfFile } from "../support/world.ts";
import { automaticOf } from "./automatic.ts";
import { killedAt } from "./fixture.ts";

const runs = histories(1, 6);
const steps = 60;
/** In cents: what an account's charges of a month add up to at most. */
const cap = 12_000;

const world = worldOfFile();
const whenOver = afterFile();
let stripe: FakeStripe;
beforeAll(async () => {
  stripe = await startFakeStripe(whenOver);
});
const { replica, settle, pass, balance, tick, save, turnOn, spend, intents } = automaticOf(world, () => stripe);

const fates: readonly StripeFate[] = ["die-before", "die-after", "error-before", "error-after", "busy"];
const points: readonly PaymentPoint[] = [...chargePoints, ...chargePoints, ...paymentPoints, ...methodPoints];
const happened = new Map<string, number>();

/** What may not be, by what the provider knows. */
class Model {
  readonly wrong: string[] = [];
  readonly #spent = new Map<string, number>();
  /** In a row, since the account turned it on. */
  readonly #declines = new Map<string, number>();

  constructor() {
    stripe.world.charging = (intent) => this.#charging(intent);
  }

  #charging(intent: Intent): void {
    const account = String(intent.metadata.lessor_account);
    const others = stripe.world.intents.filter(
      (one) => one !== intent && one.metadata.lessor_account === account && one.payment_method !== undefined,
    );
    if (others.some(({ status }) => status === "processing")) this.wrong.push("two charges in progress");
    const from = new Date();
    const month = Date.UTC(from.getUTCFullYear(), from.getUTCMonth()) / 1000;
    const ofMonth = others.filter((one) => one.created >= month && /succeeded|processing/.test(one.status));
    const sum = ofMonth.reduce((cents, { amount }) => cents + amount, intent.amount);
    if (sum > cap) this.wrong.push(`${sum} charged in a month`);
    if ((this.#declines.get(account) ?? 0) >= 2) this.wrong.push("a charge after two declines");
    const method = stripe.world.saved.methodOf(intent.payment_method ?? null);
    const card = method && stripe.world.saved.cardOf(method);
    if (card === "good") this.#declines.set(account, 0);
    else if (card !== "slow") this.#declines.set(account, (this.#declines.get(account) ?? 0) + 1);
  }

  spent({ accountId }: Principal, cents: number): void {
    this.#spent.set(accountId, (this.#spent.get(accountId) ?? 0) + cents);
  }

  turnedOn({ accountId }: Principal): void {
    this.#declines.set(accountId, 0);
  }

  /** In cents. */
  balanceOf({ accountId }: Principal): number {
    return stripe.world.received(accountId) - (this.#spent.get(accountId) ?? 0);
  }
}

class History {
  readonly #random: Random;
  readonly #customers: readonly Principal[];
  readonly #model: Model;
  readonly #replica = replica();
  readonly #waiting: StripeEvent[] = [];
  /** Processes that stand still. */
  readonly #still: { readonly go: () => void; readonly over: Promise<unknown> }[] = [];
  #seen = 0;

  constructor(random: Random, customers: readonly Principal[], model: Model) {
    [this.#random, this.#customers, this.#model] = [random, customers, model];
  }

  async step(): Promise<void> {
    const [name, act] = this.#random.one(this.#moves);
    happened.set(name, (happened.get(name) ?? 0) + 1);
    await act();
    const { events } = stripe.world;
    this.#waiting.push(...events.slice(this.#seen));
    this.#seen = events.length;
  }

  /** All goes on, all webhooks of the rest are lost, the provider is well again, and time passes. Returns what was not done at last. */
  async rest(): Promise<string[]> {
    let problems: string[] = [];
    stripe.calm();
    while (this.#still.length > 0) await this.#goOn();
    for (let time = 0; time < 6; time++) {
      await pass(7200);
      await this.#replica.readChanges();
      problems = await settle(this.#replica);
    }
    return problems;
  }

  readonly #any = <T>(list: readonly T[]): T | undefined => list[this.#random.below(list.length)];
  readonly #one = () => this.#random.one(this.#customers);
  readonly #ofCharge = (act: (id: string) => void) => async () => {
    const id = this.#any(this.#customers.flatMap((one) => intents(one)))?.metadata.lessor_payment;
    if (id !== undefined) act(id);
  };

  /** Everything that can happen. What is there twice happens twice as often. */
  readonly #moves: readonly (readonly [name: string, act: () => Promise<unknown>])[] = [
    ["save", () => this.#save()],
    ["save", () => this.#save()],
    ["enter", async () => this.#enter()],
    ["remove", () => this.#remove()],
    ["turn on", () => this.#turnOn()],
    ["turn on", () => this.#turnOn()],
    ["turn on", () => this.#turnOn()],
    ["turn off", () => world.tx((tx) => removeAutoTopUp(tx, this.#one().accountId))],
    ["spend", () => this.#spend()],
    ["spend", () => this.#spend()],
    ["tick", () => tick(this.#replica)],
    ["tick", () => tick(this.#replica)],
    ["ticks at once", () => Promise.all([tick(), tick(this.#replica), tick()])],
    ["tick", () => tick(this.#replica)],
    ["ticks at once", () => Promise.all([tick(), tick(this.#replica), tick()])],
    ["slow good", this.#ofCharge((id) => stripe.world.settleCharge(id, true))],
    ["slow bad", this.#ofCharge((id) => stripe.world.settleCharge(id, false))],
    ["refund", this.#ofCharge((id) => void stripe.world.refund(id, 1 + this.#random.below(4000)))],
    ["fault", async () => stripe.next(/./, this.#random.one(fates), this.#random.one(fates))],
    ["fault", async () => stripe.next(/intents/, this.#random.one(fates))],
    ["webhook", () => this.#webhook(1)],
    ["webhook twice", () => this.#webhook(2)],
    ["webhook lost", async () => void this.#take()],
    ["changes", () => this.#replica.readChanges().catch(() => {})],
    ["time", () => pass(this.#random.one([20, 400, 1000, 90_000, 1_500_000]))],
    ["time", () => pass(this.#random.one([20, 100, 1000]))],
    ["kill", () => this.#kill()],
    ["kill", () => this.#kill()],
    ["stand still", () => this.#standStill()],
    ["go on", () => this.#goOn()],
  ];

  async #save(): Promise<void> {
    const card = this.#random.one<Card>(["good", "good", "good", "declining", "slow", "authenticating"]);
    // Too many are rejected.
    await save(this.#one(), card).catch(() => {});
  }

  #enter(): void {
    const id = this.#any(stripe.world.sessions)?.client_reference_id;
    if (typeof id === "string") stripe.world.saved.enter(id);
  }

  async #remove(): Promise<void> {
    const customer = this.#one();
    const method = this.#any(await listMethods(world.db, customer.accountId, { limit: 10 }));
    if (method !== undefined) await world.tx((tx) => removeMethod(tx, customer.accountId, method.id));
  }

  async #turnOn(): Promise<void> {
    const customer = this.#one();
    const amountCents = this.#random.one([500, 2000, 5000]);
    await turnOn(customer, {
      thresholdCents: this.#random.one([0, 5000, 30_000]),
      amountCents,
      monthlyCapCents: cap,
    }).then(
      () => this.#model.turnedOn(customer),
      () => {}, // There is nothing to charge.
    );
  }

  async #spend(): Promise<void> {
    const [customer, cents] = [this.#one(), 1 + this.#random.below(6000)];
    await spend(customer, cents);
    this.#model.spent(customer, cents);
  }

  #take(): StripeEvent | undefined {
    return this.#waiting.splice(this.#random.below(this.#waiting.length + 1), 1)[0];
  }

  async #webhook(times: number): Promise<void> {
    const event = this.#take();
    if (event === undefined) return;
    const body = JSON.stringify(event);
    for (let time = 0; time < times; time++) await this.#replica.takeWebhook(Buffer.from(body), stripe.signed(body));
  }

  /** A process begins something, and ends at a point if it comes there. */
  async #kill(): Promise<void> {
    const { gate, died } = killedAt(this.#random.one(points), this.#random.one(["before", "after"]));
    const dying = replica(gate);
    const acts = [() => tick(dying), () => tick(dying), () => dying.methods.order(this.#one()).catch(() => {})];
    await Promise.race([died, this.#random.one(acts)()]);
  }

  async #standStill(): Promise<void> {
    const point = this.#random.one<PaymentPoint>([
      "chargePrepared",
      "chargeNoted",
      "chargeConfirmed",
      "paymentApplied",
    ]);
    const [going, still] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const gate: PaymentGate = async (passed, go) => {
      if (passed === point) {
        still.resolve();
        await going.promise;
      }
      return go();
    };
    const over = tick(replica(gate));
    this.#still.push({ go: going.resolve, over });
    await Promise.race([still.promise, over]);
  }

  async #goOn(): Promise<void> {
    const one = this.#still.shift();
    one?.go();
    await one?.over;
  }
}

async function play(seed: number): Promise<void> {
  await world.empty();
  stripe.calm();
  const { saved } = stripe.world;
  for (const list of [
    ...[stripe.world.sessions, stripe.world.intents, stripe.world.events, stripe.world.refunds],
    ...[saved.customers, saved.methods, saved.setups],
  ])
    list.length = 0;
  const customers = [await world.account(), await world.account()];
  const model = new Model();
  const history = new History(seeded(seed), customers, model);
  for (const customer of customers) {
    await save(customer);
    await turnOn(customer, { monthlyCapCents: cap });
    model.turnedOn(customer);
  }
  const automatic = world.db
    .selectFrom("payments")
    .select(["id", "account_id"])
    .where("payment_method_id", "is not", null);
  for (let step = 0; step < steps; step++) {
    await history.step();
    const open = await automatic.where("status", "in", openPaymentStatuses).execute();
    expect(new Set(open.map((one) => one.account_id)).size).toBe(open.length);
    expect(model.wrong).toEqual([]);
  }
  expect(await history.rest()).toEqual([]);
  expect(model.wrong).toEqual([]);
  for (const customer of customers) expect(await balance(customer)).toBe(model.balanceOf(customer));
  const paid = await automatic.where("status", "=", "paid").execute();
  const good = stripe.world.intents.filter(({ status }) => status === "succeeded");
  expect(paid.map(({ id }) => id).sort()).toEqual(good.map(({ metadata }) => metadata.lessor_payment).sort());
  happened.set("charged", (happened.get("charged") ?? 0) + good.length);
  const listed = (
    await Promise.all(customers.map((one) => listMethods(world.db, one.accountId, { limit: 20 })))
  ).flat();
  const attached = saved.methods.filter(({ customer }) => customer !== null);
  expect(listed.filter(({ status }) => status === "saved")).toHaveLength(attached.length);
  expect(await booksDisagree(world.db)).toEqual([]);
}

it("charges what is allowed, once, in every history", { timeout: 60_000 + runs * 20_000 }, async () => {
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
