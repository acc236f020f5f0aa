// Saved payment methods over HTTP.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Control, codeOf, idOf, startControl } from "../../../../test/support/control.ts";
import { type FakeStripe, startFakeStripe } from "../../../../test/support/fake-stripe/fake-stripe.ts";
import { afterFile } from "../../../../test/support/when-over.ts";
import { Payments } from "../../../payments/driver.ts";
import { openStripe } from "../../../payments/stripe/open-stripe.ts";

const whenOver = afterFile();
let stripe: FakeStripe;
let control: Control;
let token: string;
beforeAll(async () => {
  stripe = await startFakeStripe(whenOver);
  control = await startControl({ payments: stripe.settings });
  ({ token } = await control.customer());
});
afterAll(() => control.close());

/** What the reconciler does. */
async function settle(): Promise<void> {
  const { settings } = stripe;
  const payments = new Payments({ db: control.world.db, provider: openStripe(settings), settings });
  while ((await payments.methods.checkNext()) !== undefined);
}

it("is entered on the page of the provider, saved after the webhook, and removed", async () => {
  const made = await control.data("POST", "/payment-methods", { token });
  const id = idOf(made);
  expect(made).toMatchObject({ status: "pending", checkout_url: stripe.world.of(id).url, is_default: false });
  stripe.world.saved.enter(id);
  const event = stripe.world.events.at(-1);
  expect((await stripe.deliver(new URL(control.url).origin, event)).status).toBe(200);
  await settle();
  const shown = {
    ...{ id, status: "saved", is_default: true, brand: "visa", last4: "4242" },
    exp_month: 8,
    exp_year: 2030,
  };
  expect(await control.data("GET", `/payment-methods/${id}`, { token })).toMatchObject({
    ...shown,
    checkout_url: null,
  });
  expect(await control.data("GET", "/payment-methods", { token })).toMatchObject([shown]);
  const { token: other } = await control.customer();
  for (const method of ["GET", "DELETE"] as const) {
    expect((await control.ask(method, `/payment-methods/${id}`, { token: other })).status).toBe(404);
  }
  expect(await control.data("DELETE", `/payment-methods/${id}`, { token })).toEqual({});
  expect(await control.data("GET", "/payment-methods", { token })).toEqual([]);
  expect((await control.ask("GET", `/payment-methods/${id}`, { token })).status).toBe(404);
  await settle();
  expect(stripe.world.saved.methods.map(({ customer }) => customer)).toEqual([null]);
});

it("is one for its Idempotency-Key", async () => {
  const headers = { "idempotency-key": "the-same" };
  const [first, second] = [
    await control.data("POST", "/payment-methods", { token, headers }),
    await control.data("POST", "/payment-methods", { token, headers }),
  ];
  expect(second).toEqual(first);
});

it("is rejected where no payments are taken", async () => {
  const without = await startControl();
  const { token: one } = await without.customer();
  const result = await without.ask("POST", "/payment-methods", { token: one });
  expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
  expect(await without.data("GET", "/payment-methods", { token: one })).toEqual([]);
  await without.close();
});
