// Automatic top-ups over HTTP.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";
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

const body = { threshold_cents: 1000, amount_cents: 5000, monthly_cap_cents: 20_000 };
const payments = () =>
  new Payments({ db: control.world.db, provider: openStripe(stripe.settings), settings: stripe.settings });

it("is turned on with a saved method, read, and removed, and a charge says what it was made with", async () => {
  expect(await control.data("GET", "/auto-top-up", { token })).toBeNull();
  const early = await control.ask("PUT", "/auto-top-up", { token, body });
  expect([early.status, codeOf(early)]).toEqual([409, "global/conflict"]);
  const method = idOf(await control.data("POST", "/payment-methods", { token }));
  stripe.world.saved.enter(method);
  await stripe.deliver(new URL(control.url).origin, stripe.world.events.at(-1));
  while ((await payments().methods.checkNext()) !== undefined);
  const shown = { ...body, payment_method_id: null, turned_off_at: null, turned_off_reason: null };
  const charged = (cents: number, inProgress = 0) => ({
    ...shown,
    ...{ charged_this_month_cents: cents, in_progress_cents: inProgress },
  });
  expect(await control.data("PUT", "/auto-top-up", { token, body })).toEqual(charged(0));
  await payments().orderAutomatic();
  expect(await control.data("GET", "/auto-top-up", { token })).toEqual(charged(5000, 5000));
  while ((await payments().checkNext()) !== undefined);
  expect(await control.data("GET", "/auto-top-up", { token })).toEqual(charged(5000));
  expect(await control.data("GET", "/top-ups", { token })).toMatchObject([
    { status: "paid", amount_cents: 5000, payment_method_id: method, checkout_url: null },
  ]);
  const { token: other } = await control.customer();
  expect(await control.data("GET", "/auto-top-up", { token: other })).toBeNull();
  const foreign = { ...body, payment_method_id: method };
  expect((await control.ask("PUT", "/auto-top-up", { token: other, body: foreign })).status).toBe(404);
  const chosen = await control.data("PUT", "/auto-top-up", { token, body: foreign });
  expect(chosen).toMatchObject({ payment_method_id: method });
  for (let time = 0; time < 2; time++) {
    expect(await control.data("DELETE", "/auto-top-up", { token })).toEqual({});
  }
  expect(await control.data("GET", "/auto-top-up", { token })).toBeNull();
});

it.each([
  [{ amount_cents: 499 }, "amount_cents"],
  [{ amount_cents: 20_001 }, "monthly_cap_cents"],
  [{ threshold_cents: -1 }, "threshold_cents"],
  [{ payment_method_id: "x" }, "payment_method_id"],
] as const)("is rejected with %o", async (wrong, name) => {
  const result = await control.ask("PUT", "/auto-top-up", { token, body: { ...body, ...wrong } });
  expect([result.status, fieldsOf(result)]).toEqual([400, [name]]);
});

it("is rejected where no payments are taken", async () => {
  const without = await startControl();
  const { token: one } = await without.customer();
  expect((await without.ask("PUT", "/auto-top-up", { token: one, body })).status).toBe(409);
  await without.close();
});
