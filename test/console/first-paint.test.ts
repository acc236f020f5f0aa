// What is drawn before the console's code has been loaded: a page that is light or dark already, as it will be.

import type { Browser, BrowserContextOptions } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { openBrowser, openPage } from "./support/browser.ts";
import { type FixedService, startFixedService } from "./support/fixed/service.ts";

const whenOver = afterFile();
let browser: Browser;
let service: FixedService;
beforeAll(async () => {
  service = await startFixedService(whenOver);
  browser = await openBrowser(whenOver);
});

/** The ground of the page while the modules of the console are still on their way. */
async function groundWithoutModules(system: BrowserContextOptions["colorScheme"], chosen?: string): Promise<string> {
  const page = await openPage(browser, { colorScheme: system ?? null });
  if (chosen !== undefined)
    await page.addInitScript((value) => localStorage.setItem("mantine-color-scheme-value", value), chosen);
  await page.route(/\/index-[^/]*\.js$/, () => {});
  await page.goto(service.url, { waitUntil: "commit" });
  await page.locator("#console").waitFor({ state: "attached" });
  return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
}

const light = "rgb(247, 248, 250)";
const dark = "rgb(12, 15, 20)";

describe("the first paint", () => {
  it("is as light or dark as the system", async () => {
    expect(await groundWithoutModules("light")).toBe(light);
    expect(await groundWithoutModules("dark")).toBe(dark);
  });

  it("is as was chosen in the console, whatever the system is", async () => {
    expect(await groundWithoutModules("light", "dark")).toBe(dark);
    expect(await groundWithoutModules("dark", "light")).toBe(light);
    expect(await groundWithoutModules("dark", "auto")).toBe(dark);
  });
});
