// What was used of a spend limit is shown wherever the limit is.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, idOf, startControl } from "../../../../test/support/control.ts";
import type { Principal } from "../../../rental/service.ts";

let control: Control;
let principal: Principal;
let token: string;
let tokenId: string;
beforeAll(async () => {
  control = await startControl();
  ({ principal, token, tokenId } = await control.customer());
  const { world } = control;
  await world.host();
  await world.image();
  await world.product({ name: "cpu", gpus: 0 });
  for (const by of [principal, { ...principal, tokenId: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d" }]) {
    const { id } = await world.launchOne(by, { instanceType: "cpu" });
    // A second of this month, at 1234.5678 cents an hour: some thirds of a cent.
    await sql`insert into billing_spans
        (instance_id, account_id, token_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
      select ${id}, ${by.accountId}, ${by.tokenId}, month, month + interval '1 second', 1234, 0
      from (select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as month) this`.execute(world.db);
  }
});
afterAll(() => control.close());

/** 1234 / 3600 cents, rounded down: of one second, and of both instances. */
const [one, both] = ["0.342777", "0.685554"];

describe("what was used of an account's limit", () => {
  it("is shown to itself and to operators, and is nothing where there is no limit", async () => {
    const path = `/accounts/${principal.accountId}`;
    expect(await control.data("GET", "/account", { token })).toMatchObject({ spent_this_month_cents: null });
    const limit = { spend_limit_cents: 100 };
    const shown = { ...limit, spent_this_month_cents: both };
    expect(await control.data("PATCH", path, { body: limit })).toMatchObject(shown);
    expect(await control.data("GET", path)).toMatchObject(shown);
    expect(await control.data("GET", "/account", { token })).toMatchObject(shown);
    const listed = (await control.data("GET", "/accounts")) as object[];
    expect(listed.find((account) => idOf(account) === principal.accountId)).toMatchObject(shown);
  });
});

describe("what was used of a token's limit", () => {
  it("is shown where the token is, to its account and to operators", async () => {
    const paths = ["/tokens", `/accounts/${principal.accountId}/tokens`];
    for (const path of paths) {
      expect(await listed(path)).toMatchObject([{ spend_limit_cents: null, spent_this_month_cents: null }]);
    }
    const shown = { id: tokenId, spend_limit_cents: 50, spent_this_month_cents: one };
    for (const path of paths) {
      const body = { spend_limit_cents: 50 };
      expect(await control.data("PATCH", `${path}/${tokenId}`, { body, token: ownerOf(path) })).toMatchObject(shown);
      expect(await listed(path)).toMatchObject([shown]);
    }
  });

  it("is nothing yet for one that is new", async () => {
    const body = { name: "new", scopes: ["read"], spend_limit_cents: 5 };
    expect(await control.data("POST", `/accounts/${principal.accountId}/tokens`, { body })).toMatchObject({
      spend_limit_cents: 5,
      spent_this_month_cents: "0.000000",
    });
  });

  const ownerOf = (path: string) => (path === "/tokens" ? token : control.operator.token);
  const listed = (path: string) => control.data("GET", path, { token: ownerOf(path) });
});
