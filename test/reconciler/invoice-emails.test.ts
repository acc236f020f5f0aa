// Emails of invoices: one for each, to the address for invoices, and none to who turned them off.

import { expect, it } from "vitest";
import { changeBillingDetails } from "../../src/rental/invoices/billing-details.ts";
import { issueInvoices, keepInvoicing } from "../../src/rental/invoices/issue.ts";
import type { Principal } from "../../src/rental/service.ts";
import { emailsOf } from "../support/emails.ts";
import { closedMonth, invoiceSettings } from "../support/invoices.ts";
import { startMailServer } from "../support/mail-server.ts";
import { stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();
const { replica, account, queue, soon } = emailsOf(stage);
const settings = invoiceSettings();

const details = ({ accountId }: Principal, email: string | null) =>
  stage.world.tx((tx) => changeBillingDetails(tx, accountId, { email }));

/** With an invoice of the month each. */
async function invoiced(...customers: readonly Principal[]): Promise<void> {
  await keepInvoicing(stage.db, settings);
  const lines = customers.map(({ accountId }) => ({ account: accountId, cost: 12_345_000_000n }));
  await closedMonth(stage.db, "2026-03", lines);
  await issueInvoices(stage.db, settings);
  await issueInvoices(stage.db, settings);
}

it("says number, amount and how to download it, to the address for invoices or the contact address", async () => {
  const mail = await startMailServer();
  const emails = await replica(mail.settings);
  const [first, second, third] = [await account(), await account(), await account({ disabledEmails: ["invoice"] })];
  await details(second, "invoices@customer.example");
  await invoiced(first, second, third);
  await emails.poke();
  expect(mail.mails.map(({ to }) => to[0]).sort()).toEqual(["invoices@customer.example", "ops@customer.example"]);
  const [one] = mail.mails;
  expect(one?.subject).toMatch(/^Invoice INV-\d{4}-00000\d$/);
  expect(one?.text).toMatch(/- Invoice INV-\d{4}-00000\d: 123\.45 EUR, due on \d{4}-\d\d-\d\d\n/);
  expect(one?.text).toContain("lessor invoices download");
  expect(one?.text).toContain("--disable-email invoice");
});

it("that waits follows the address for invoices", async () => {
  const mail = await startMailServer();
  const emails = await replica(mail.settings);
  const customer = await account();
  mail.next("defer");
  await invoiced(customer);
  await emails.poke();
  await details(customer, "new@customer.example");
  await soon();
  await emails.poke();
  expect([mail.mails.map(({ to }) => to[0]), await queue()]).toEqual([["new@customer.example"], ["sent"]]);
});
