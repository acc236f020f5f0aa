// A navigation that is longer than the window, as operators have it on a laptop.

import type { Browser } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { openBrowser, openPage, settled } from "./support/browser.ts";
import { type FixedService, startFixedService } from "./support/fixed/service.ts";

const whenOver = afterFile();
let browser: Browser;
let service: FixedService;
beforeAll(async () => {
  service = await startFixedService(whenOver);
  browser = await openBrowser(whenOver);
});

it("shows the page that is open, whole, and the account with its way out below it", async () => {
  const page = await openPage(browser, { viewport: { width: 1280, height: 640 } });
  await page.goto(`${service.url}/operator/servers`);
  await settled(page);
  const navigation = page.getByRole("navigation", { name: "Console" });
  const current = await navigation.locator("[aria-current=page]").boundingBox();
  const account = await navigation.getByRole("button", { name: /Account/ }).boundingBox();
  if (current === null || account === null) throw new Error("Neither may be hidden");
  expect(current.y).toBeGreaterThan(0);
  expect(current.y + current.height).toBeLessThan(account.y);
  expect(account.y + account.height).toBeLessThanOrEqual(640);
});
