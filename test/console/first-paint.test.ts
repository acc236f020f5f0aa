// What is drawn before the console's code has been loaded: a page that is light or dark already, as it will be.

import type { BrowserContextOptions } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openPage } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";

const fixed = fixedConsoleOfFile();

/** The ground of the page while the modules of the console are still on their way. */
async function groundWithoutModules(system: BrowserContextOptions["colorScheme"], chosen?: string): Promise<string> {
  const page = await openPage(fixed.browser, { colorScheme: system ?? null });
  if (chosen !== undefined)
    await page.addInitScript((value) => localStorage.setItem("mantine-color-scheme-value", value), chosen);
  await page.route(/\/index-[^/]*\.js$/, () => {});
  await page.goto(fixed.service.url, { waitUntil: "commit" });
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
