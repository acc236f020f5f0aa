// Top-ups over HTTP, and the webhooks of the payment provider: what is signed and new makes a payment due, all else nothing.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";
import { type FakeStripe, startFakeStripe } from "../../../../test/support/fake-stripe/fake-stripe.ts";
import { afterFile } from "../../../../test/support/when-over.ts";
import { loadConfig } from "../../../config.ts";
import { Payments } from "../../../payments/driver.ts";
import { openStripe } from "../../../payments/stripe/open-stripe.ts";

const whenOver = afterFile();
let stripe: FakeStripe;
let control: Control;
let main: string;
let token: string;
beforeAll(async () => {
  stripe = await startFakeStripe(whenOver);
  const { settings } = stripe;
  const keys = { ...settings.stripe, webhookSecrets: [...settings.stripe.webhookSecrets, "whsec_the_next_one"] };
  const { limits } = loadConfig({ env: {}, cwd: import.meta.dirname });
  const few = { ...limits, failedAuthenticationsPerMinutePerAddress: 20 };
  control = await startControl({ limits: few, payments: { ...settings, stripe: keys } });
  main = new URL(control.url).origin;
  ({ token } = await control.customer());
});
afterAll(() => control.close());

const topUp = async (cents = 5000) =>
  idOf(await control.data("POST", "/top-ups", { token, body: { amount_cents: cents } }));
/** What the reconciler does. */
async function settle(): Promise<void> {
  const { settings } = stripe;
  const payments = new Payments({ db: control.world.db, provider: openStripe(settings), settings });
  while ((await payments.checkNext()) !== undefined);
}
const statusOf = async (id: string) =>
  ((await control.data("GET", `/top-ups/${id}`, { token })) as { status: string }).status;
const lastEvent = (type: string) => stripe.world.events.findLast((event) => event.type === type);

describe("a top-up", () => {
  it("is created with the page where it is paid, and is read by its account and by operators", async () => {
    const id = await topUp();
    const shown = { id, amount_cents: 5000, currency: "usd", status: "pending", checkout_url: stripe.world.of(id).url };
    expect(await control.data("GET", `/top-ups/${id}`, { token })).toMatchObject(shown);
    expect(await control.data("GET", "/top-ups", { token })).toMatchObject([shown]);
    expect(await control.data("GET", `/payments/${id}`)).toMatchObject(shown);
    expect(await control.data("GET", "/payments?status=pending")).toMatchObject([shown]);
    expect(await control.data("GET", "/payments?status=paid")).toEqual([]);
    const { token: other, principal } = await control.customer();
    expect((await control.ask("GET", `/top-ups/${id}`, { token: other })).status).toBe(404);
    expect(await control.data("GET", "/top-ups", { token: other })).toEqual([]);
    expect(await control.data("GET", `/payments?account_id=${principal.accountId}`)).toEqual([]);
    expect((await control.ask("GET", "/payments", { token })).status).toBe(403);
  });

  it("is one for its Idempotency-Key", async () => {
    const before = stripe.world.sessions.length;
    const headers = { "idempotency-key": "the-same" };
    const body = { amount_cents: 700 };
    const [first, second] = [
      await control.data("POST", "/top-ups", { token, body, headers }),
      await control.data("POST", "/top-ups", { token, body, headers }),
    ];
    expect(second).toEqual(first);
    expect(stripe.world.sessions.length - before).toBe(1);
  });

  it("is rejected outside of the limits, which the balance has", async () => {
    const limits = { min_amount_cents: 500, max_amount_cents: 1_000_000, currency: "usd" };
    expect(await control.data("GET", "/balance", { token })).toMatchObject({ top_ups: limits });
    const result = await control.ask("POST", "/top-ups", { token, body: { amount_cents: 499 } });
    expect([result.status, fieldsOf(result)]).toEqual([400, ["amount_cents"]]);
  });

  it("without a response of the provider has no page yet", async () => {
    stripe.next(/POST .*sessions/, "error-before");
    const made = await control.data("POST", "/top-ups", { token, body: { amount_cents: 500 } });
    expect(made).toMatchObject({ status: "created", checkout_url: null });
  });

  it("is rejected where no payments are taken, and there are no webhooks", async () => {
    const without = await startControl();
    const { token: one } = await without.customer();
    const result = await without.ask("POST", "/top-ups", { token: one, body: { amount_cents: 500 } });
    expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    expect(await without.data("GET", "/balance", { token: one })).toMatchObject({ top_ups: null });
    expect((await stripe.deliver(new URL(without.url).origin, undefined)).status).toBe(404);
    await without.close();
  });
});

describe("a webhook", () => {
  it("makes its payment due, however often it comes, and what it says counts nothing", async () => {
    const id = await topUp();
    stripe.world.pay(id);
    const event = lastEvent("checkout.session.completed");
    for (let time = 0; time < 3; time++) {
      const response = await stripe.deliver(main, event);
      expect([response.status, await response.json()]).toEqual([200, { received: true }]);
    }
    expect(await statusOf(id)).toBe("pending");
    await settle();
    expect(await statusOf(id)).toBe("paid");
    const { data } = (await control.ask("GET", "/balance", { token })).body as { data: { balance_cents: string } };
    expect(data.balance_cents).toBe("5000.000000");
  });

  it("that says what is not so changes nothing", async () => {
    const id = await topUp();
    const lie = {
      ...lastEvent("checkout.session.completed"),
      data: { object: { ...stripe.world.of(id), payment_status: "paid" } },
    };
    expect((await stripe.deliver(main, lie as never)).status).toBe(200); // signed, but not as it is
    await settle();
    expect(await statusOf(id)).toBe("pending");
  });

  it("of both secrets is taken while they are changed, and of others, too old, changed or unsigned is not", async () => {
    const event = lastEvent("checkout.session.completed");
    expect((await stripe.deliver(main, event, { secret: "whsec_the_next_one" })).status).toBe(200);
    for (const forged of [{ secret: "whsec_other" }, { ago: 301 }, { body: "{}" }, { body: "" }, { body: "\xff" }]) {
      expect((await stripe.deliver(main, event, forged)).status, JSON.stringify(forged)).toBe(400);
    }
    expect((await fetch(`${main}/payments/stripe/webhook`, { method: "POST", body: "{}" })).status).toBe(400);
  });

  it("of what is no payment of this service is acknowledged", async () => {
    for (const object of [
      {},
      { id: 5, metadata: 7 },
      { metadata: { lessor_payment: "x" } },
      { payment_intent: "pi_x" },
    ]) {
      for (const type of [
        "invoice.paid",
        "checkout.session.completed",
        "charge.refunded",
        "payment_intent.succeeded",
      ]) {
        const event = { id: "evt_1", object: "event", type, created: 1, data: { object } };
        expect((await stripe.deliver(main, event as never)).status).toBe(200); // such as of another product
      }
    }
  });

  it("may not be large", async () => {
    const event = { id: "evt_1", object: "event", type: "x", data: { object: { text: "x".repeat(300_000) } } };
    expect((await stripe.deliver(main, event as never)).status).toBe(413);
  });

  it("without a signature, as each page can make a browser send one, keeps no one at its address out", async () => {
    for (let time = 0; time < 100; time++) {
      const { status } = await fetch(`${main}/payments/stripe/webhook`, { method: "POST", body: "{}" });
      expect(status).toBe(400);
    }
  });

  it("that is forged again and again is not verified any more", async () => {
    const statuses = new Set<number>();
    for (let time = 0; time < 100 && !statuses.has(429); time++) {
      statuses.add((await stripe.deliver(main, undefined, { secret: "whsec_other" })).status);
    }
    expect([...statuses]).toEqual([400, 429]);
  });
});
