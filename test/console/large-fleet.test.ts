// The fleet map with thousands of hosts: it is there within seconds, an event changes one tile, and the keyboard reaches all.

import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { openBrowser, openPage, settled } from "./support/browser.ts";
import { manyHosts } from "./support/fixed/fleet.ts";
import { type FixedService, startFixedService } from "./support/fixed/service.ts";

const whenOver = afterFile();
let browser: Browser;
let service: FixedService;
beforeAll(async () => {
  service = await startFixedService(whenOver);
  service.instead.set("/hosts", { data: manyHosts(1000) });
  browser = await openBrowser();
});

describe("a thousand hosts", () => {
  it("are drawn as far as is soon seen, and filtered while somebody types", async () => {
    const page = await openPage(browser);
    await page.goto(`${service.url}/operator/fleet`);
    await settled(page);
    expect(await page.locator("[data-tile]").count()).toBeLessThan(600);
    expect(await page.locator("main svg path").count()).toBeLessThan(2000);
    await page.getByLabel("Find hosts").fill("large-77");
    await expect.poll(() => page.locator("[data-tile]").count()).toBe(11);
  });

  it("are one stop of Tab, and reached with the arrow keys", async () => {
    const page = await openPage(browser);
    await page.goto(`${service.url}/operator/fleet`);
    await settled(page);
    expect(await page.locator("[data-tile][tabindex='0']").count()).toBe(1);
    await page.locator("[data-tile]").first().focus();
    await page.keyboard.press("End");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("title")), { timeout: 60_000 })
      .toBe("us-east-1-large-1000");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("heading", { name: "us-east-1-large-1000" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("title"))).toBe("us-east-1-large-1000");
  });
});

describe("three thousand hosts", () => {
  it("are drawn as far as somebody scrolls, and all can be found", async () => {
    service.instead.set("/hosts", { data: manyHosts(3000) });
    const page = await openPage(browser);
    await page.goto(`${service.url}/operator/fleet`);
    await settled(page);
    const tiles = page.locator("[data-tile]");
    expect(await tiles.count()).toBeLessThan(600);
    await page.getByLabel("Find hosts").fill("large-2999");
    await expect.poll(() => tiles.count()).toBe(1);
    await page.getByLabel("Find hosts").fill("");
    // As many as fit, and more as somebody scrolls.
    await expect.poll(() => tiles.count()).toBeGreaterThan(1);
    expect(await tiles.count()).toBeLessThan(600);
    await expect
      .poll(async () => {
        await tiles.last().scrollIntoViewIfNeeded();
        return tiles.count();
      })
      .toBe(3000);
  });
});
