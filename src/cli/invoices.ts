// Invoices by their numbers, and their amounts. Used by commands/invoices.ts and account-invoices.ts.

import type { Shape } from "../client/client.ts";
import type { InvoiceKind } from "../rules/invoices.ts";
import { accountNamed } from "./account-tokens.ts";
import { chosen } from "./names.ts";
import { asJson } from "./output/as-json.ts";
import type { Shell } from "./shell.ts";

/** `id`: for operators, the account. */
export async function invoicesOf(
  shell: Shell,
  id: string | undefined,
  { all, ...query }: { month?: string; kind?: InvoiceKind; all?: boolean } = {},
) {
  const answer = await shell
    .client()
    .ask((api) =>
      id === undefined
        ? api.GET("/invoices", { params: { query: { ...query, ...(all && { all }) } } })
        : api.GET("/accounts/{id}/invoices", { params: { path: { id }, query } }),
    );
  return asJson(answer).data;
}

/** `account`: for operators, whose it is. Throws CommandError. */
export async function invoiceNamed(
  shell: Shell,
  word: string,
  account: string | undefined,
): Promise<Shape<"ListedInvoice">> {
  const id = account === undefined ? undefined : (await accountNamed(shell, account)).id;
  return chosen({
    ...{ word, what: "invoice", groups: [await invoicesOf(shell, id)] },
    names: [({ number }) => number, (one) => one.id],
    parts: [({ number }) => number.endsWith(word)],
    show: ({ number }) => number,
    list: `lessor invoices list${account === undefined ? "" : ` --account ${account}`}`,
  });
}

/** 12.34 EUR. */
export function inCurrency(cents: number, currency: string): string {
  return `${(cents / 100).toFixed(2)} ${currency}`;
}
