// How accounts pay is what rules/payment-terms.ts says, in the database too.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { leastBalanceCents, paymentTerms, termsProblem } from "../../rules/payment-terms.ts";
import { changeAccount, readAccount } from "../accounts/account-store.ts";
import { leastBalance, readFunds } from "./funds.ts";

const world = worldOfFile();

const possible = paymentTerms.flatMap((terms) =>
  [null, 0, 500].map((line) => ({ paymentTerms: terms, creditLineCents: line })),
);

describe("terms of payment", () => {
  it.each(possible)(
    "$paymentTerms with a credit line of $creditLineCents are in the database what they are in the rules",
    async (terms) => {
      const { accountId } = await world.account();
      const write = sql<{ least: number | null; bound: boolean }>`
      update accounts a set payment_terms = ${terms.paymentTerms}, credit_line_cents = ${terms.creditLineCents}
      where id = ${accountId} returning ${leastBalance(sql`a`)} as least`.execute(world.db);
      if (termsProblem(terms) !== undefined)
        return expect(write).rejects.toThrow("accounts_prepaid_without_credit_line");
      expect((await write).rows[0]?.least).toBe(leastBalanceCents(terms));
      const bound = await readFunds(world.db, { accountIds: [accountId] });
      expect(bound).toHaveLength(leastBalanceCents(terms) === null ? 0 : 1);
    },
  );

  it("can be no others", async () => {
    const { accountId } = await world.account();
    const write = sql`update accounts set payment_terms = 'free' where id = ${accountId}`.execute(world.db);
    await expect(write).rejects.toThrow("accounts_payment_terms_check");
  });
});

describe("an account that is made prepaid", () => {
  it("loses its credit line, and gets none", async () => {
    const { accountId } = await world.account({ creditLineCents: 500 });
    await world.tx((tx) => changeAccount(tx, accountId, { paymentTerms: "prepaid" }));
    expect(await readAccount(world.db, accountId)).toMatchObject({ paymentTerms: "prepaid", creditLineCents: null });
    const change = world.tx((tx) => changeAccount(tx, accountId, { creditLineCents: 1 }));
    expect(Object.keys((await refusal("invalid-parameters", change)).fields)).toEqual(["credit_line_cents"]);
  });
});
