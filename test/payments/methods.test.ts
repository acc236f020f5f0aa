// A payment method that a customer enters at the provider is saved here, once, and removed on both sides, whatever the
// provider answers, and whatever becomes of its webhooks.

import { beforeEach, describe, expect, it } from "vitest";
import { hintMethods } from "../../src/rental/payment-methods/checks.ts";
import { listMethods, readMethod, removeMethod } from "../../src/rental/payment-methods/method-store.ts";
import type { Principal } from "../../src/rental/service.ts";
import { mostPaymentMethods } from "../../src/rules/payment-methods.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { refusal } from "../support/refusals.ts";
import { worldOfFile } from "../support/world.ts";
import { paymentsOf } from "./fixture.ts";

const world = worldOfFile();
let stripe: FakeStripe;
let customer: Principal;
beforeEach(async () => {
  await world.empty();
  stripe = await startFakeStripe();
  customer = await world.account();
});
const { replica, settle, pass, events } = paymentsOf(world, () => stripe);
const order = (by = customer) => replica().methods.order(by);
const read = (id: string) => readMethod(world.db, customer.accountId, id);
const list = () => listMethods(world.db, customer.accountId, { limit: 100 });
const remove = (id: string) => world.tx((tx) => removeMethod(tx, customer.accountId, id));
/** As a webhook does. */
const hint = (id: string) => world.tx((tx) => hintMethods(tx, [{ id }]));
const told = () => events(customer, "payment_method");
const attached = () => stripe.world.saved.methods.filter((one) => one.customer !== null);
async function saved(): Promise<string> {
  const id = await order();
  stripe.world.saved.enter(id);
  await hint(id);
  await settle();
  return id;
}

describe("a payment method", () => {
  it("has a page at once, and is saved when it is entered there", async () => {
    const id = await order();
    expect(await read(id)).toMatchObject({ status: "pending", checkoutUrl: stripe.world.of(id).url, brand: null });
    expect(stripe.world.of(id)).toMatchObject({
      ...{ mode: "setup", metadata: { lessor_method: id, lessor_account: customer.accountId } },
      success_url: `https://cloud.acme.example/balance?payment_method=${id}`,
    });
    stripe.world.saved.enter(id);
    await hint(id);
    expect(await settle()).toEqual([]);
    const shown = { brand: "visa", last4: "4242", expMonth: 8, expYear: 2030, isDefault: true, checkoutUrl: null };
    expect(await read(id)).toMatchObject({ ...shown, status: "saved" });
    expect([await told(), stripe.world.saved.customers]).toEqual([
      ["added"],
      [expect.objectContaining({ metadata: { lessor_account: customer.accountId } })],
    ]);
  });

  it("is found without any webhook, and announced once, however often it is reported", async () => {
    const id = await order();
    stripe.world.saved.enter(id);
    await pass(15);
    await settle();
    for (let time = 0; time < 3; time++) {
      await hint(id);
      await Promise.all([settle(), settle(), settle()]);
    }
    expect([(await read(id)).status, await told()]).toEqual(["saved", ["added"]]);
  });

  it("is the default if it was saved last, and all are of one customer there", async () => {
    const [first, second] = [await saved(), await saved()];
    expect((await list()).map((one) => [one.id, one.isDefault])).toEqual([
      [second, true],
      [first, false],
    ]);
    await remove(second);
    expect((await list()).map((one) => [one.id, one.isDefault])).toEqual([[first, true]]);
    expect(stripe.world.saved.customers).toHaveLength(1);
  });

  it("is one for the key of its request", async () => {
    const methods = () => replica().methods;
    const ids = [await methods().order(customer, "a"), await methods().order(customer, "a")];
    expect([new Set(ids).size, stripe.world.sessions.length]).toEqual([1, 1]);
    expect(await methods().order(customer, "b")).not.toBe(ids[0]);
  });

  it("that is not entered in time has failed", async () => {
    const id = await order();
    stripe.world.expire(id);
    await pass(86_400);
    await settle();
    expect([(await read(id)).status, await list(), await told()]).toEqual(["failed", [], []]);
  });

  it("is of its account only, and few are there at once", async () => {
    const id = await saved();
    const other = await world.account();
    expect(await refusal("unknown-object", readMethod(world.db, other.accountId, id))).toBeDefined();
    expect(
      await refusal(
        "unknown-object",
        world.tx((tx) => removeMethod(tx, other.accountId, id)),
      ),
    ).toBeDefined();
    for (let time = 1; time < mostPaymentMethods; time++) await order();
    expect(await refusal("quota-exceeded", order())).toMatchObject({ limit: mostPaymentMethods });
    await order(other);
    expect(stripe.world.saved.customers).toHaveLength(2);
  });

  it("has what the bank changed of it", async () => {
    const id = await saved();
    const [method] = attached();
    if (method !== undefined) stripe.world.saved.renew(method);
    await world.tx((tx) => hintMethods(tx, [{ providerMethodId: method?.id }]));
    await settle();
    expect(await read(id)).toMatchObject({ status: "saved", expYear: 2034 });
  });
});

describe("an order that gets no response", () => {
  it.each([
    ...(["die-before", "die-after", "error-before", "error-after", "busy"] as const).flatMap((fate) => [
      [fate, /POST .*sessions/] as const,
      [fate, /POST .*customers/] as const,
    ]),
  ])("(%s, %s) becomes one page of one customer, which comes later", async (fate, path) => {
    stripe.next(path, fate);
    const id = await order();
    if ((await read(id)).status === "created") {
      expect(await read(id)).toMatchObject({ checkoutUrl: null });
      await pass(30);
      expect(await settle()).toEqual([]);
    }
    expect(await read(id)).toMatchObject({ status: "pending", checkoutUrl: stripe.world.of(id).url });
    expect([stripe.world.sessions.length, stripe.world.saved.customers.length]).toEqual([1, 1]);
  });

  it("of two at once makes one customer that counts", async () => {
    stripe.next(/POST .*customers/, "die-after");
    await Promise.all([order(), order()]);
    await pass(30);
    await settle();
    await pass(30);
    await settle();
    expect((await list()).map(({ status }) => status)).toEqual(["pending", "pending"]);
    expect(new Set(stripe.world.sessions.map((one) => one.customer)).size).toBe(1);
  });

  it("is refused for good if the provider refuses it, and given up after ten minutes", async () => {
    stripe.next(/POST .*sessions/, "refuse");
    expect((await read(await order())).status).toBe("failed");
    stripe.next(/GET|POST/, "error-before", "error-before");
    const id = await order();
    await pass(700);
    await settle();
    expect((await read(id)).status).toBe("created");
    await pass(60);
    await settle();
    expect([(await read(id)).status, await told()]).toEqual(["failed", []]);
  });
});

describe("a payment method that is removed", () => {
  it("here is gone at once, and detached there in spite of lost responses", async () => {
    const id = await saved();
    stripe.next(/detach/, "die-before", "die-after");
    await remove(id);
    expect([await list(), await refusal("unknown-object", read(id))]).toMatchObject([[], {}]);
    for (let time = 0; time < 3; time++) {
      await Promise.all([settle(), settle()]);
      await pass(60);
    }
    expect(await settle()).toEqual([]);
    expect([attached(), await told()]).toEqual([[], ["added", "removed"]]);
    expect(await refusal("unknown-object", remove(id))).toBeDefined();
  });

  it("before it was entered has no page any more, and one that was entered meanwhile is detached", async () => {
    const [early, late] = [await order(), await order()];
    await remove(early);
    await settle();
    expect(stripe.world.of(early).status).toBe("expired");
    stripe.world.saved.enter(late);
    await remove(late);
    expect(await settle()).toEqual([]);
    expect([attached(), await list(), await told()]).toEqual([[], [], []]);
  });

  it.each(["webhook", "changes", "time"] as const)("there disappears here (%s)", async (by) => {
    const payments = replica();
    await payments.readChanges();
    const id = await saved();
    const [method] = attached();
    await pass(3600);
    if (method !== undefined) stripe.world.saved.detach(method);
    const event = JSON.stringify(stripe.world.events.at(-1));
    if (by === "webhook") await payments.takeWebhook(Buffer.from(event), stripe.signed(event));
    if (by === "changes") await payments.readChanges();
    if (by === "time") await pass(90_000);
    await settle();
    expect([await list(), await told()]).toEqual([[], ["added", "removed"]]);
    await hint(id);
    await settle();
    expect(await told()).toEqual(["added", "removed"]);
  });

  it("with its customer disappears too, and the next one has a new customer", async () => {
    await saved();
    stripe.world.saved.removeCustomer(stripe.world.saved.customers[0]?.id ?? "");
    await pass(90_000);
    await settle();
    expect(await list()).toEqual([]);
    const id = await order();
    await pass(30);
    await settle();
    expect([(await read(id)).status, stripe.world.saved.customers.length]).toEqual(["pending", 1]);
  });
});
