// The balance and the account in the console: a payment appears as it is recorded, a voucher is redeemed once, the ledger is
// read page by page, and emails are turned off; each by those alone whose role may.

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { openPage } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { balance } from "./support/fixed/ledger.ts";
import { ago, fixedNow, hour, inTime } from "./support/fixed/moments.ts";
import { expectUsable, peopleOf, row } from "./support/people.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});
const { call, person } = peopleOf(() => stand);

const voucher = async (cents: number) => {
  const made = await call(stand.operatorToken, "POST", "/vouchers", { name: "Welcome", amount_cents: cents });
  return (made as { code: string }).code;
};
const topUp = (accountId: string, cents: number, reference: string) =>
  call(stand.operatorToken, "POST", `/accounts/${accountId}/top-ups`, { amount_cents: cents, reference });
const figure = (page: Awaited<ReturnType<Stand["open"]>>, name: string) =>
  page.locator("[class*=_figure_]").filter({ has: page.getByText(name, { exact: true }) });

describe("the balance", () => {
  it("shows a payment when it is recorded, takes a voucher once, and is there as CSV", async () => {
    const { token, accountId } = await person("paying", "billing", "Penny");
    const page = await stand.signedIn("/balance", token);
    await page.getByText("No entries").waitFor();
    await figure(page, "Balance").getByText("$0.00").waitFor();
    // No payments are taken here.
    expect(await page.getByText("Auto top-up").count()).toBe(0);
    await topUp(accountId, 50_000, "RF18 5390");
    // Without a reload.
    await row(page, "RF18 5390").getByText("+$500.00").waitFor();
    await figure(page, "Balance").getByText("$500.00").waitFor();

    await page.getByRole("button", { name: "Redeem voucher" }).click();
    const dialog = page.getByRole("dialog", { name: "Redeem voucher" });
    await dialog.getByRole("button", { name: "Redeem" }).click();
    await dialog.getByText("Enter the code.").waitFor();
    await dialog.getByLabel("Code").fill("NOT-A-VOUCHER");
    await page.keyboard.press("Enter");
    await expect.poll(() => dialog.getByLabel("Code").getAttribute("aria-invalid")).toBe("true");
    await expectUsable(page);
    const code = await voucher(2550);
    await dialog.getByLabel("Code").fill(` ${code.toLowerCase()} `);
    await page.keyboard.press("Enter");
    await page.getByText("Added $25.50 to your balance.").waitFor();
    await row(page, "Welcome").getByText("+$25.50").waitFor();
    await figure(page, "Balance").getByText("$525.50").waitFor();
    await expectUsable(page);

    await page.getByRole("button", { name: "Redeem voucher" }).click();
    await dialog.getByLabel("Code").fill(code);
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();

    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    const lines = readFileSync(await (await saved).path(), "utf8")
      .trim()
      .split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain("amount_cents");
  });

  it("is read by everyone of the team, and paid by those whose role may", async () => {
    const page = await stand.signedIn("/balance", (await person("paying", "member", "Mel")).token);
    await page.getByText("You can't redeem vouchers. This needs the role owner, admin or billing.").waitFor();
    expect(await page.getByRole("button", { name: "Redeem voucher" }).count()).toBe(0);
    await row(page, "RF18 5390").waitFor();
  });

  it("has a ledger of any length, which is read page by page", async () => {
    const { token, accountId } = await person("busy", "owner", "Bea");
    const path = `/accounts/${accountId}/adjustments`;
    for (let n = 1; n <= 101; n += 1)
      await call(stand.operatorToken, "POST", path, { amount_cents: n === 1 ? -700 : 1, reason: `Number ${n}.` });
    const page = await stand.signedIn("/balance", token);
    await row(page, "Number 101.").waitFor();
    expect(await row(page, "Number 1.").count()).toBe(0);
    await page.getByRole("button", { name: "Load older entries" }).click();
    await row(page, "Number 1.").getByText("−$7.00").first().waitFor();
    expect(await page.getByRole("button", { name: "Load older entries" }).count()).toBe(0);
    await figure(page, "Balance").getByText("−$6.00").waitFor();
    await figure(page, "Balance").getByText("Owed").waitFor();
    await page.getByRole("link", { name: "Statements" }).last().click();
    await page.getByRole("heading", { level: 1, name: "Statements" }).waitFor();
  });
});

describe("the account", () => {
  it("says where its emails go and which it gets, and roles that may not change that see it", async () => {
    const { token } = await person("mailed", "billing", "Bill");
    const page = await stand.signedIn("/account", token);
    await page.getByText("Bill, bill@example.com, Billing").waitFor();
    await page.getByLabel("Contact address").fill("nowhere");
    await page.getByRole("checkbox", { name: /^Maintenance/ }).uncheck();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => page.getByLabel("Contact address").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Contact address").fill("ops@mailed.example");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    const stored = { contact_email: "ops@mailed.example", disabled_emails: ["maintenance"] };
    expect(await call(token, "GET", "/account")).toMatchObject(stored);

    const other = await stand.signedIn("/account", (await person("mailed", "viewer", "Vic")).token);
    await other.getByText("You can't change this. This needs the role owner, admin or billing.").waitFor();
    expect(await other.getByLabel("Contact address").isDisabled()).toBe(true);
    expect(await other.getByRole("checkbox", { name: /^Maintenance/ }).isChecked()).toBe(false);
    expect(await other.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
    await expectUsable(other);
  });

  it("says what invoices state of it, with errors at their fields, to those who may pay", async () => {
    const { token } = await person("stated", "billing", "Bo");
    const page = await stand.signedIn("/account", token);
    await page.getByRole("link", { name: "Billing details" }).click();
    await page.getByRole("heading", { level: 1, name: "Billing details" }).waitFor();
    const form = page.getByRole("main");
    await form.getByLabel("Name", { exact: true }).fill(" Stated GmbH ");
    await form.getByLabel("Address", { exact: true }).fill("Ring 2\n\n 80331 München ");
    await form.getByRole("combobox", { name: "Country" }).fill("Germ");
    await page.getByRole("option", { name: "Germany" }).click();
    await form.getByLabel("Tax ID").fill("FR12345678901");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Must be a tax id of the country").waitFor();
    await form.getByLabel("Tax ID").fill("DE999999999");
    await form.getByLabel("Address for invoices").fill("nowhere");
    await form.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => form.getByLabel("Address for invoices").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("Address for invoices").fill("");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    expect(await call(token, "GET", "/account/billing-details")).toEqual({
      ...{ legal_name: "Stated GmbH", address: ["Ring 2", "80331 München"], country: "DE", tax_id: "DE999999999" },
      invoice_email: null,
    });
    await form.getByRole("combobox", { name: "Country" }).click();
    await page.getByRole("option", { name: "Germany" }).click();
    await form.getByLabel("Tax ID").fill("");
    await form.getByRole("button", { name: "Save" }).click();
    await expect
      .poll(() => call(token, "GET", "/account/billing-details"))
      .toMatchObject({ country: null, tax_id: null });

    const other = await stand.signedIn("/billing-details", (await person("stated", "member", "Mo")).token);
    await other.getByText("You can't change billing details. This needs the role owner, admin or billing.").waitFor();
    expect(await other.getByLabel("Tax ID").isDisabled()).toBe(true);
    await expectUsable(other);
  });

  it("warns when its spend limit is reached", async () => {
    const { token, accountId } = await person("spent", "member", "Sue");
    await call(stand.operatorToken, "PATCH", `/accounts/${accountId}`, { spend_limit_cents: 0 });
    const page = await stand.signedIn("/balance", token);
    await page.getByText("The monthly spend limit is reached").waitFor();
    await expectUsable(page);
    await page.getByRole("link", { name: "Usage" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    await page.getByText("The monthly spend limit is reached").waitFor();
    await call(stand.operatorToken, "PATCH", `/accounts/${accountId}`, { spend_limit_cents: null });
    // Without a reload.
    await expect.poll(() => page.getByText("The monthly spend limit is reached").count()).toBe(0);
  });
});

describe("an account on hold", () => {
  const fixed = fixedConsoleOfFile();

  it("says since when, why, and what to do", async () => {
    fixed.service.instead.set("/balance", { data: { ...balance, held_since: ago(hour) } });
    const page = await openPage(fixed.browser);
    await page.clock.setFixedTime(fixedNow);
    await page.goto(`${fixed.service.url}/balance`);
    await page.getByText("Your account is on hold").waitFor();
    await page.getByText(/A payment was disputed at your bank 1 hour ago\. You can't launch/).waitFor();
    await page.getByText(/ask your provider to lift the hold/).waitFor();
    await expectUsable(page);
  });
});

describe("money that is used up", () => {
  const fixed = fixedConsoleOfFile();

  it("is announced from a day before", async () => {
    const page = await openPage(fixed.browser);
    await page.clock.setFixedTime(fixedNow);
    for (const seconds of [24 * hour, hour]) {
      const runway = { cents_per_hour: "1920.000000", seconds, empty_at: inTime(seconds) };
      fixed.service.instead.set("/balance", { data: { ...balance, runway } });
      await page.goto(`${fixed.service.url}/balance`);
      const warning = page.getByRole("alert", { name: "The balance is used up soon" });
      await warning.getByText("What runs costs $19.20 an hour").waitFor();
      await warning.getByText(seconds === hour ? "in 1 hour" : "in 1 day").waitFor();
    }
    await expectUsable(page);
    fixed.service.instead.clear();
  });

  it("is a warning that says when instances are stopped and terminated", async () => {
    const exhausted = { since: ago(hour), stop_at: inTime(hour), terminate_at: inTime(25 * hour) };
    fixed.service.instead.set("/balance", { data: { ...balance, runway: null, exhausted } });
    const page = await openPage(fixed.browser);
    await page.clock.setFixedTime(fixedNow);
    await page.goto(`${fixed.service.url}/balance`);
    await page.getByRole("alert").getByText("stopped in 1 hour, and terminated with their disks in 1 day").waitFor();
    await figure(page, "Lasts for").getByText("Used up").waitFor();
    await expectUsable(page);
    fixed.service.instead.clear();
    await page.reload();
    await figure(page, "Lasts for").getByText("2 d 16 h").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});
