// A navigation that is longer than the window, as operators have it on a laptop.

import { expect, it } from "vitest";
import { openPage, settled } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";

const fixed = fixedConsoleOfFile();

it("shows the page that is open, whole, and the account with its way out below it", async () => {
  const page = await openPage(fixed.browser, { viewport: { width: 1280, height: 640 } });
  await page.goto(`${fixed.service.url}/operator/servers`);
  await settled(page);
  const navigation = page.getByRole("navigation", { name: "Console" });
  const current = await navigation.locator("[aria-current=page]").boundingBox();
  const account = await navigation.getByRole("button", { name: /Account/ }).boundingBox();
  if (current === null || account === null) throw new Error("Neither may be hidden");
  expect(current.y).toBeGreaterThan(0);
  expect(current.y + current.height).toBeLessThan(account.y);
  expect(account.y + account.height).toBeLessThanOrEqual(640);
});
