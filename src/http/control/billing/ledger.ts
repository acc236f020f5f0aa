// Control interface: balance and ledger, of your own account and, for operators, of any.

import { Type } from "typebox";
import type { Database } from "../../../database/connect.ts";
import { readAccount } from "../../../rental/accounts/account-store.ts";
import { readExhausted } from "../../../rental/funds/exhausted.ts";
import { readFunds } from "../../../rental/funds/funds.ts";
import { readBalance } from "../../../rental/ledger/balance.ts";
import { listEntries } from "../../../rental/ledger/entries.ts";
import type { TopUpLimits } from "../../../rules/payments.ts";
import { formatQuery } from "../../api/csv.ts";
import type { Api } from "../../api/operations.ts";
import { pageQuery } from "../../api/paging.ts";
import * as field from "../fields.ts";
import { Balance, balanceView, byEntry, entryView, examples, LedgerEntry } from "./ledger-view.ts";

const balanceText =
  "As of now: the sum of the ledger, less the usage of today and whatever else is not posted yet. Usage is posted once a " +
  "day (UTC).";
const ledgerText =
  "Entries, newest first: payments, usage, credits, vouchers and corrections. They are never changed: what turns out " +
  "to be different comes as a further entry. Those of a closed month add up to its statement.";
const query = Type.Object({ ...pageQuery, ...formatQuery });

type EntryView = ReturnType<typeof entryView>;

export function ledgerRoutes(api: Api): void {
  const topUps = api.context.payments?.limits;
  const balance = { answer: field.one(Balance), example: { answer: { data: examples.balance } } };
  const ledger = {
    query,
    answer: field.many(LedgerEntry),
    example: { answer: { data: [examples.entry()] } },
    csv: {
      columns: Object.keys(LedgerEntry.properties),
      rows: ({ data }: { readonly data: readonly EntryView[] }) => data,
    },
  };

  api.get(
    "/balance",
    { id: "getBalance", tag: "Usage", summary: "Read your balance", description: balanceText, ...balance },
    ({ db, principal }) => balanceOf(db, principal.accountId, topUps),
  );

  api.get(
    "/ledger",
    { id: "listLedger", tag: "Usage", summary: "List your ledger", description: ledgerText, ...ledger },
    async ({ db, principal, page }) => ({
      data: (await page(byEntry, (window) => listEntries(db, principal.accountId, window))).map(entryView),
    }),
  );

  const ofAccount = { tag: "Accounts", scope: "operator", params: field.IdParam, errors: ["unknown-object"] } as const;

  api.get(
    "/accounts/:id/balance",
    {
      ...{ id: "getAccountBalance", summary: "Read an account's balance", description: balanceText },
      ...{ ...ofAccount, ...balance },
    },
    ({ db, params }) => balanceOf(db, params.id, topUps),
  );

  api.get(
    "/accounts/:id/ledger",
    {
      ...{ id: "listAccountLedger", summary: "List an account's ledger", description: ledgerText },
      ...{ ...ofAccount, ...ledger },
    },
    async ({ db, params, page }) => {
      const { id } = await readAccount(db, params.id);
      return { data: (await page(byEntry, (window) => listEntries(db, id, window))).map(entryView) };
    },
  );
}

/** Throws RentalError unknown-object. */
async function balanceOf(db: Database, accountId: string, topUps: TopUpLimits | undefined) {
  const account = await readAccount(db, accountId);
  const [funds] = await readFunds(db, { accountIds: [account.id] });
  const parts = { balance: await readBalance(db, account.id), exhausted: await readExhausted(db, account.id) };
  return { data: balanceView(account.id, { ...parts, terms: account, funds, topUps }) };
}
