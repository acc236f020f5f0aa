// What operators do with invoices in the console: find those of all accounts, save them, take back a part by a credit note,
// once, and export a closed month for accounting; each by those alone whose role may.

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { issueInvoices, keepInvoicing } from "../../src/rental/invoices/issue.ts";
import { closedMonth, invoiceSettings } from "../support/invoices.ts";
import { afterFile } from "../support/when-over.ts";
import { expectUsable, peopleOf, row } from "./support/people.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
const settings = invoiceSettings();
const cent = 1_000_000n;
/** That ended before this one. */
const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 1))
  .toISOString()
  .slice(0, 7);
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver, { config: { invoices: settings } });
  await keepInvoicing(stand.db, settings);
  const used = async (name: string, cents: bigint) => {
    const { id } = (await call(await stand.customerToken(name), "GET", "/account")) as { id: string };
    return { account: id, cost: cents * cent };
  };
  await closedMonth(stand.db, month, [await used("initech", 9000n), await used("hooli", 4000n)]);
  await issueInvoices(stand.db, settings);
});
const { call, operator } = peopleOf(() => stand);

async function savedText(page: Page, button: string | RegExp): Promise<[name: string, text: string]> {
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: button, exact: true }).click();
  const file = await saved;
  return [file.suggestedFilename(), readFileSync(await file.path(), "utf8")];
}

it("invoices of all accounts are listed, filtered and saved, and a month is exported", async () => {
  const page = await stand.signedIn("/operator/invoices", await operator("finance"));
  await row(page, "initech").getByText("90.00 EUR").waitFor();
  await row(page, "hooli").getByText("40.00 EUR").waitFor();
  await expectUsable(page);
  const [all, lines] = await savedText(page, "CSV");
  expect([all, lines.trim().split("\r\n").length]).toEqual(["invoices.csv", 3]);
  const [name, text] = await savedText(page, "Export");
  expect(name).toBe(`accounting-${month}.csv`);
  expect(text).toContain("hooli");
  expect(text.match(/^invoice,/gm)).toHaveLength(2);

  await page.getByRole("combobox", { name: "Account" }).click();
  await page.getByRole("option", { name: "hooli" }).click();
  await row(page, "initech").waitFor({ state: "detached" });
  const [pdf, content] = await savedText(page, /^PDF of/);
  expect([pdf, content.slice(0, 5)]).toEqual([expect.stringMatching(/^INV-\d{4}-000002\.pdf$/), "%PDF-"]);
  await page.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Receipt" }).click();
  await page.getByText("No invoices match these filters.").waitFor();
});

it("a month that is not closed is not exported, and says so", async () => {
  const page = await stand.signedIn("/operator/invoices", stand.operatorToken);
  await page.getByRole("combobox", { name: "Month to export" }).click();
  await page.getByRole("option").nth(5).click();
  await page.getByRole("button", { name: "Export", exact: true }).click();
  await page.getByText("is not closed").waitFor();
});

it("a credit note takes back a part of a line, once, also if its response is lost", async () => {
  const page = await stand.signedIn("/operator/invoices", stand.operatorToken);
  await row(page, "initech").getByRole("button", { name: "Credit note for" }).click();
  const dialog = page.getByRole("dialog", { name: "Credit note for" });
  await dialog.getByText("Parts of lines").click();
  await dialog.getByLabel("1. h100-1 in north").fill("100");
  await dialog.getByLabel("Reason").fill("Outage on March 1");
  const issue = dialog.getByRole("button", { name: "Issue credit note" });
  await issue.click();
  await dialog.getByRole("alert").getByText("Line 1 has 9000 cents left").waitFor();
  await expectUsable(page);
  await dialog.getByLabel("1. h100-1 in north").fill("25");
  await page.route("**/credit-notes", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await issue.click();
  await dialog.getByText("The service can't be reached").waitFor();
  await page.unroute("**/credit-notes");
  await issue.click();
  await row(page, "Outage on March 1").getByText("−25.00 EUR").waitFor();
  expect(await row(page, "Outage on March 1").count()).toBe(1);
  expect(
    await row(page, "Corrects")
      .getByRole("button", { name: /^Credit note/ })
      .count(),
  ).toBe(0);
});

it("an operator whose role may not correct or export sees why", async () => {
  const page = await stand.signedIn("/operator/invoices", await operator("support"));
  await row(page, "hooli")
    .getByRole("button", { name: /^PDF of/ })
    .waitFor();
  await page.getByText("You can't issue credit notes. This needs the role operator or finance.").waitFor();
  await page.getByText("You can't export months. This needs the role operator or finance.").waitFor();
  expect(await page.getByRole("button", { name: /^Credit note/ }).count()).toBe(0);
});
