// A dispute puts its account on hold: nothing new begins, what runs stays, until all disputes are won or an operator lifts it.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { changeAccount, readAccount } from "../../src/rental/accounts/account-store.ts";
import { hintPayments } from "../../src/rental/payments/checks.ts";
import type { Principal } from "../../src/rental/service.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { pay } from "../support/money.ts";
import { refusal } from "../support/refusals.ts";
import { reserve, run, toldOf } from "../support/reservations.ts";
import { travel } from "../support/time-travel.ts";
import { Waiting } from "../support/waiting.ts";
import { worldOfFile } from "../support/world.ts";
import { paymentsOf } from "./fixture.ts";

const world = worldOfFile();
const waiting = new Waiting(world);
let stripe: FakeStripe;
let customer: Principal;
const { settle, order } = paymentsOf(world, () => stripe);

async function told(...ids: readonly string[]): Promise<void> {
  await world.tx((tx) =>
    hintPayments(
      tx,
      ids.map((id) => ({ id })),
    ),
  );
  await Promise.all([settle(), settle()]);
}
async function paid(): Promise<string> {
  const id = await order(customer, 5000);
  stripe.world.pay(id);
  await told(id);
  return id;
}
async function disputed(id: string) {
  const dispute = stripe.world.dispute(id, "needs_response");
  await told(id);
  return dispute;
}
const isHeld = async () => (await readAccount(world.db, customer.accountId)).heldSince !== null;
const lift = () => world.tx((tx) => changeAccount(tx, customer.accountId, { liftHold: true }));
const launch = () => world.launch(customer, { instanceType: "one" });
/** Of the hold, in order: whether it began. */
async function events(): Promise<boolean[]> {
  const { rows } = await sql<{ held: boolean }>`
    select data->>'held_since' is not null as held from events
    where account_id = ${customer.accountId} and type = 'account.hold_changed' order by position`.execute(world.db);
  return rows.map(({ held }) => held);
}

beforeEach(async () => {
  stripe = await startFakeStripe();
  await world.image();
  await world.host({ gpus: 2 });
  await world.product({ name: "one", gpus: 1, priceCentsPerHour: 100 });
  await world.product({ name: "two", gpus: 2, priceCentsPerHour: 100 });
  customer = await waiting.customer();
});

describe("an account whose payment is disputed", () => {
  it("launches and reserves nothing, whatever its balance, and keeps what runs", async () => {
    const id = await paid();
    await pay(world, customer, 100_000);
    const [runs] = await launch();
    await disputed(id);
    expect([await isHeld(), await events()]).toEqual([true, [true]]);
    expect(await refusal("insufficient-balance", launch())).toMatchObject({ isHeld: true });
    const made = reserve(world, customer, { instanceType: "one", to: 2 });
    expect(await refusal("insufficient-balance", made)).toMatchObject({ isHeld: true });
    const { rows } = await sql`select from instances where id = ${runs?.id} and terminating_at is null`.execute(
      world.db,
    );
    expect(rows).toHaveLength(1);
    await lift();
    expect([await isHeld(), await events()]).toEqual([false, [true, false]]);
    await launch();
  });

  it("has its waiting launches blocked, and placed when the hold is lifted", async () => {
    const id = await paid();
    const [runs] = await launch();
    const waits = await waiting.waits(customer, { instanceType: "two" });
    await disputed(id);
    await waiting.end(customer, runs?.id ?? "");
    await waiting.place();
    expect(await waiting.stateOf(waits)).toBe("waiting for spend-limit");
    await lift();
    await waiting.place();
    expect(await waiting.stateOf(waits)).toBe("placed");
  });

  it("has no reservation that begins", async () => {
    const id = await paid();
    const [held, begins] = [await reserve(world, customer, { instanceType: "one", from: 1, to: 5 }), "61 minutes"];
    await disputed(id);
    await travel(world.db, begins);
    await run(world, { toleranceSeconds: 300 });
    expect(await toldOf(world, held.id)).toEqual(["scheduled"]);
    await travel(world.db, "10 minutes");
    await run(world, { toleranceSeconds: 300 });
    expect(await toldOf(world, held.id)).toEqual(["scheduled", "unfulfilled"]);
    const { rows } = await sql<{ reason: string }>`select reason from reservations where id = ${held.id}`.execute(
      world.db,
    );
    expect(rows[0]?.reason).toBe("Its account was on hold.");
  });
});

describe("the hold", () => {
  it("ends when the last of its disputes is won", async () => {
    const [first, second] = [await paid(), await paid()];
    const disputes = [await disputed(first), await disputed(second)];
    stripe.world.change(disputes[0], "won");
    await told(first);
    expect(await isHeld()).toBe(true);
    stripe.world.change(disputes[1], "won");
    await told(second);
    expect([await isHeld(), await events()]).toEqual([false, [true, false]]);
  });

  it("stays after a lost dispute until an operator lifts it, and does not outlast later ones for it", async () => {
    const [first, second] = [await paid(), await paid()];
    stripe.world.change(await disputed(first), "lost");
    await told(first);
    expect(await isHeld()).toBe(true);
    await lift();
    await told(first, second);
    expect(await isHeld()).toBe(false);
    const later = await disputed(second);
    expect(await isHeld()).toBe(true);
    stripe.world.change(later, "won");
    await told(second);
    expect(await isHeld()).toBe(false);
  });

  it("is not begun by refunds, nor where the policy is none", async () => {
    const [first, second] = [await paid(), await paid()];
    stripe.world.refund(first, 100);
    await told(first);
    stripe = Object.assign(stripe, { settings: { ...stripe.settings, onChargeback: "none" } });
    await disputed(second);
    expect([await isHeld(), await events()]).toEqual([false, []]);
  });
});
