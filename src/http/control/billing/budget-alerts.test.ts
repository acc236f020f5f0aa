// Budget alerts over HTTP.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

it("is created once for an amount, listed, and deleted by its account alone", async () => {
  const { token } = await control.customer();
  const { token: other } = await control.customer();
  const create = (cents: unknown) => control.ask("POST", "/budget-alerts", { token, body: { amount_cents: cents } });
  const made = await control.data("POST", "/budget-alerts", { token, body: { amount_cents: 40_000 } });
  expect(made).toMatchObject({ amount_cents: 40_000, reached_at: null });
  const again = await create(40_000);
  expect([again.status, codeOf(again), fieldsOf(again)]).toEqual([409, "global/duplicate", ["amount_cents"]]);
  for (const wrong of [0, 0.5, -1, "1", null, 1e13]) {
    const result = await create(wrong);
    expect([result.status, fieldsOf(result)], String(wrong)).toEqual([400, ["amount_cents"]]);
  }
  expect(await control.data("GET", "/budget-alerts", { token })).toEqual([made]);
  expect(await control.data("GET", "/budget-alerts", { token: other })).toEqual([]);
  const path = `/budget-alerts/${idOf(made)}`;
  expect((await control.ask("DELETE", path, { token: other })).status).toBe(404);
  expect(await control.data("DELETE", path, { token })).toEqual({});
  expect((await control.ask("DELETE", path, { token })).status).toBe(404);
});

it("is one for its Idempotency-Key, and the eleventh is rejected with what helps", async () => {
  const { token } = await control.customer();
  const create = (cents: number, key: string) =>
    control.ask("POST", "/budget-alerts", {
      ...{ token, body: { amount_cents: cents }, headers: { "idempotency-key": key } },
    });
  for (let cents = 1; cents <= 10; cents++) {
    const [first, second] = [await create(cents, `${cents}`), await create(cents, `${cents}`)];
    expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
  }
  const rejected = await create(11, "11");
  expect([rejected.status, codeOf(rejected)]).toEqual([403, "global/quota-exceeded"]);
  expect(rejected.text).toContain("Delete a budget alert.");
});
