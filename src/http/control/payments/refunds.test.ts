// Refunds over HTTP: operators who may handle money order them, once for an Idempotency-Key, and the audit log names who.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, idOf, startControl } from "../../../../test/support/control.ts";
import { type FakeStripe, startFakeStripe } from "../../../../test/support/fake-stripe/fake-stripe.ts";
import { afterFile } from "../../../../test/support/when-over.ts";
import { Payments } from "../../../payments/driver.ts";
import { openStripe } from "../../../payments/stripe/open-stripe.ts";

const whenOver = afterFile();
let stripe: FakeStripe;
let control: Control;
let token: string;
let accountId: string;
beforeAll(async () => {
  stripe = await startFakeStripe(whenOver);
  control = await startControl({ payments: stripe.settings });
  const customer = await control.customer();
  [token, accountId] = [customer.token, customer.principal.accountId];
});
afterAll(() => control.close());

/** What the reconciler does. */
async function settle(): Promise<void> {
  const { settings } = stripe;
  const payments = new Payments({ db: control.world.db, provider: openStripe(settings), settings });
  while ((await payments.checkNext()) !== undefined);
}
async function paid(): Promise<string> {
  const id = idOf(await control.data("POST", "/top-ups", { token, body: { amount_cents: 5000 } }));
  stripe.world.pay(id);
  await stripe.deliver(new URL(control.url).origin, stripe.world.events.at(-1));
  await settle();
  return id;
}
const reason = "Paid twice";

describe("a refund", () => {
  it("is ordered by an operator, and read until it is paid back", async () => {
    const id = await paid();
    const made = await control.data("POST", `/payments/${id}/refunds`, { body: { amount_cents: 2000, reason } });
    const shown = { payment_id: id, account_id: accountId, amount_cents: 2000, reason, failure: null };
    expect(made).toMatchObject({ ...shown, status: "created", provider_refund_id: null });
    await settle();
    expect(await control.data("GET", `/payments/${id}/refunds`)).toMatchObject([
      { ...shown, id: idOf(made), status: "succeeded", provider_refund_id: stripe.world.refunds.at(-1)?.id },
    ]);
    const [entry] = (await control.data(
      "GET",
      `/audit-log?account_id=${accountId}&operation=refundPayment`,
    )) as object[];
    expect(entry).toMatchObject({ reason, result: "done", token_id: expect.any(String), objects: [id, idOf(made)] });
  });

  it("is one for its Idempotency-Key, and another without an amount is the rest", async () => {
    const id = await paid();
    const headers = { "idempotency-key": `refund-${id}` };
    const order = { body: { amount_cents: 1000, reason }, headers };
    const made = await control.data("POST", `/payments/${id}/refunds`, order);
    expect(await control.data("POST", `/payments/${id}/refunds`, order)).toEqual(made);
    expect(await control.data("POST", `/payments/${id}/refunds`, { body: { reason } })).toMatchObject({
      amount_cents: 4000,
    });
    const more = await control.ask("POST", `/payments/${id}/refunds`, { body: { reason } });
    expect([more.status, codeOf(more)]).toEqual([409, "global/conflict"]);
    await settle();
    expect(await control.data("GET", `/payments/${id}/refunds`)).toMatchObject([
      { amount_cents: 4000, status: "succeeded" },
      { amount_cents: 1000, status: "succeeded" },
    ]);
  });

  it("is neither ordered nor read by customers", async () => {
    const id = await paid();
    const denied = [
      await control.ask("POST", `/payments/${id}/refunds`, { token, body: { reason } }),
      await control.ask("GET", `/payments/${id}/refunds`, { token }),
    ];
    expect(denied.map(({ status }) => status)).toEqual([403, 403]);
  });

  it("is rejected where no payments are taken", async () => {
    const without = await startControl();
    const result = await without.ask("POST", `/payments/${crypto.randomUUID()}/refunds`, { body: { reason } });
    expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    await without.close();
  });
});

it("payments of one account are listed under it, and filtered as all are", async () => {
  const id = await paid();
  const list = await control.data("GET", `/accounts/${accountId}/payments?limit=1`);
  expect(list).toMatchObject([{ id, account_id: accountId, status: "paid" }]);
  expect(await control.data("GET", `/accounts/${accountId}/payments?status=failed`)).toEqual([]);
  const { principal } = await control.customer();
  expect(await control.data("GET", `/accounts/${principal.accountId}/payments`)).toEqual([]);
  expect((await control.ask("GET", `/accounts/${crypto.randomUUID()}/payments`)).status).toBe(404);
  expect((await control.ask("GET", `/accounts/${accountId}/payments`, { token })).status).toBe(403);
});
