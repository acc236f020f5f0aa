// The invoices of an account in the console: reached from the balance and the navigation, found by what they are, filtered,
// and saved as PDF.

import { expect, it } from "vitest";
import { openPage } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { invoices } from "./support/fixed/invoices.ts";
import { fixedNow } from "./support/fixed/moments.ts";
import { expectUsable, row } from "./support/people.ts";

const fixed = fixedConsoleOfFile();

it("invoices are reached from the balance, found by their kind and number, and saved", async () => {
  const page = await openPage(fixed.browser);
  await page.clock.setFixedTime(fixedNow);
  await page.goto(`${fixed.service.url}/balance`);
  await page.getByRole("link", { name: "Invoices", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Invoices" }).waitFor();
  await row(page, "REC-2026-000009").getByText("1,500.00 EUR").waitFor();
  await row(page, "Corrects INV-2026-000017").getByText("−45.00 EUR").waitFor();
  await expectUsable(page);

  await page.getByRole("searchbox").or(page.getByLabel("Filter")).first().fill("receipt");
  await expect.poll(() => page.getByRole("button", { name: /^PDF of/ }).count()).toBe(1);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "PDF of REC-2026-000009" }).focus();
  await page.keyboard.press("Enter");
  expect((await saved).suggestedFilename()).toBe("REC-2026-000009.pdf");
  expect(fixed.service.asked).toContain(`GET /invoices/${invoices[1]?.id}/pdf`);
});

it("invoices are filtered by kind and month, by the service", async () => {
  const page = await openPage(fixed.browser);
  await page.clock.setFixedTime(fixedNow);
  await page.goto(`${fixed.service.url}/instances`);
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Invoices", exact: true }).click();
  await row(page, "REC-2026-000009").waitFor();
  await page.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Invoice", exact: true }).click();
  await row(page, "REC-2026-000009").waitFor({ state: "detached" });
  await row(page, "INV-2026-000017").waitFor();
  await page.getByRole("combobox", { name: "Month" }).click();
  await page.getByRole("option", { name: "March 2026" }).click();
  await page.getByText("No invoices match these filters.").waitFor();
  await expectUsable(page);
  await page.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Invoice", exact: true }).click();
  await row(page, "REC-2026-000009").waitFor();
});
