// What the operator's configuration gives new accounts that are made without saying.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, startControl } from "../../../../test/support/control.ts";
import { loadConfig } from "../../../config.ts";

let control: Control;
beforeAll(async () => {
  const { defaults } = loadConfig({ env: {}, cwd: import.meta.dirname });
  control = await startControl({ defaults: { ...defaults, spendLimitCents: 500, maxLifetimeSeconds: 3600 } });
});
afterAll(() => control.close());

/** Those of a service where accounts pay before, unless told. */
async function madeWhereDue(body: object) {
  const { defaults } = loadConfig({ env: {}, cwd: import.meta.dirname });
  const prepaid = { paymentTerms: "prepaid", creditLineCents: null } as const;
  const other = await startControl({ defaults: { ...defaults, terms: prepaid } });
  const data = await other.data("POST", "/accounts", { body: { name: "one", ...body } });
  await other.close();
  return data;
}

const made = (body: object) => control.data("POST", "/accounts", { body: { name: control.world.fresh("a"), ...body } });

describe("a new account, where limits are configured", () => {
  it("has them", async () => {
    const limits = { spend_limit_cents: 500, spent_this_month_cents: "0.000000", max_lifetime_seconds: 3600 };
    expect(await made({})).toMatchObject(limits);
  });

  it("has its own instead, each that is given, also higher ones", async () => {
    expect(await made({ spend_limit_cents: 900 })).toMatchObject({
      spend_limit_cents: 900,
      max_lifetime_seconds: 3600,
    });
    expect(await made({ max_lifetime_seconds: 7200 })).toMatchObject({
      spend_limit_cents: 500,
      max_lifetime_seconds: 7200,
    });
    expect(await made({ spend_limit_cents: 0 })).toMatchObject({ spend_limit_cents: 0 });
  });

  it("has none where null says so", async () => {
    expect(await made({ spend_limit_cents: null, max_lifetime_seconds: null })).toMatchObject({
      spend_limit_cents: null,
      spent_this_month_cents: null,
      max_lifetime_seconds: null,
    });
  });

  it("pays before, unless told", async () => {
    expect(await madeWhereDue({})).toMatchObject({ payment_terms: "prepaid", credit_line_cents: null });
    expect(await madeWhereDue({ payment_terms: "postpaid" })).toMatchObject({ credit_line_cents: null });
  });

  it("keeps what it has when it is changed without saying", async () => {
    const { id } = (await made({ spend_limit_cents: null })) as { id: string };
    expect(await control.data("PATCH", `/accounts/${id}`, { body: { quotas: { gpus: 1 } } })).toMatchObject({
      spend_limit_cents: null,
      max_lifetime_seconds: 3600,
    });
  });
});
