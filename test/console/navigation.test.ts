// The navigation, when it is longer than the window as operators have it on a laptop, and former paths of pages.

import { expect, it } from "vitest";
import { openPage, settled } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { idOf } from "./support/fixed/moments.ts";

const fixed = fixedConsoleOfFile();

it("shows the page that is open, whole, and the account with its way out below it", async () => {
  const page = await openPage(fixed.browser, { viewport: { width: 1280, height: 640 } });
  await page.goto(`${fixed.service.url}/operator/replicas`);
  await settled(page);
  const navigation = page.getByRole("navigation", { name: "Console" });
  const current = await navigation.locator("[aria-current=page]").boundingBox();
  const account = await navigation.getByRole("button", { name: /Account/ }).boundingBox();
  if (current === null || account === null) throw new Error("Neither may be hidden");
  expect(current.y).toBeGreaterThan(0);
  expect(current.y + current.height).toBeLessThan(account.y);
  expect(account.y + account.height).toBeLessThanOrEqual(640);
});

it.each([
  ["/machines?tag=team%3Dvision", "/instances?tag=team%3Dvision"],
  [`/machines/${idOf("instance", 1)}`, `/instances/${idOf("instance", 1)}`],
  ["/operator/catalogue?of=regions", "/operator/catalog?of=regions"],
])("leads from the former path %s to %s", async (former, path) => {
  const page = await openPage(fixed.browser);
  await page.goto(`${fixed.service.url}${former}`);
  await page.waitForURL(`${fixed.service.url}${path}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
});
