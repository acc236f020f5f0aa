// What every page is while it loads and where there is nothing, no answer, or a failure: it does not jump, it says what it
// waits for, what is not there, and what went wrong.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { serious } from "./support/accessibility.ts";
import { addresses, type PageAddress } from "./support/addresses.ts";
import { openPage, settled, sizes } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { fixedNow } from "./support/fixed/moments.ts";
import type { Manner } from "./support/fixed/service.ts";
import { layoutFaults } from "./support/layout.ts";

const fixed = fixedConsoleOfFile();

async function open(
  address: string,
  manner: Manner,
  delay = 0,
  size: (typeof sizes)[number] = sizes[2],
): Promise<Page> {
  fixed.service.manner = manner;
  fixed.service.delay = delay;
  const page = await openPage(fixed.browser, { viewport: size });
  await page.clock.setFixedTime(fixedNow);
  await page.addInitScript(() => {
    const moved = { sum: 0 };
    Object.assign(globalThis, { moved });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        // Of layout-shift, which the types do not know.
        const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
        if (!hadRecentInput) moved.sum += value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(`${fixed.service.url}${address}`);
  return page;
}

describe("a page", () => {
  for (const { address } of addresses) {
    it(`${address} does not jump while it loads`, async () => {
      for (const size of [sizes[2], sizes[0]]) {
        const page = await open(address, "answers", 80, size);
        await settled(page);
        const moved = await page.evaluate(() => (globalThis as unknown as { moved: { sum: number } }).moved.sum);
        expect(moved, `at ${size.width}`).toBeLessThan(0.05);
      }
    });
  }
});

/** Pages that read nothing before somebody types: they neither wait nor fail. */
const readNothing = new Set(["/coupons"]);
const readers = addresses.filter(({ address }) => !readNothing.has(address));

/** So many pages are open at once: most of their time they wait. */
const together = 6;

/** What is wrong with each of the pages, as it is told by `faultsOf`, by address; empty where all is well. */
async function faultsOfAll(
  pages: readonly PageAddress[],
  faultsOf: (address: string) => Promise<string[]>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (let first = 0; first < pages.length; first += together) {
    const batch = pages.slice(first, first + together).map(async ({ address }) => {
      const faults = await faultsOf(address).catch((error: unknown) => [String(error)]);
      if (faults.length > 0) found[address] = faults;
    });
    await Promise.all(batch);
  }
  return found;
}

// Each opens them all: minutes where other tests have the cores.
describe("every page", { timeout: 300_000 }, () => {
  it("says that it is loading, as long as there is no answer", async () => {
    const faults = await faultsOfAll(readers, async (address) => {
      const page = await open(address, "keeps-waiting");
      await page.locator("main h1").waitFor();
      await page.locator("main [aria-busy=true], main .mantine-Skeleton-root").first().waitFor({ state: "attached" });
      const alerts = await page.getByRole("alert").allTextContents();
      await page.context().close();
      return alerts;
    });
    expect(faults).toEqual({});
  });

  it("says so where the service fails, with the id of the request", async () => {
    const faults = await faultsOfAll(readers, async (address) => {
      const page = await open(address, "fails");
      // After it has tried again by itself.
      await page.getByRole("alert").first().waitFor({ timeout: 30_000 });
      await page.getByText("Something went wrong.").first().waitFor();
      await page
        .getByRole("button", { name: /request id/ })
        .first()
        .waitFor();
      const wrong = await layoutFaults(page);
      await page.context().close();
      return wrong;
    });
    expect(faults).toEqual({});
  });

  it("of a list says that there is nothing where there is nothing, and can be used", async () => {
    // Of one thing there is no empty world, and a server has keys from its first start on.
    const lists = addresses.filter(({ name }) => !name.endsWith("-one"));
    const hasRows = new Set(["/operator/servers"]);
    const faults = await faultsOfAll(lists, async (address) => {
      const page = await open(address, "is-empty", 0, sizes[0]);
      await settled(page);
      const rows = hasRows.has(address) ? [] : await page.locator("main tbody tr").allTextContents();
      const wrong = [...rows, ...(await layoutFaults(page)), ...(await serious(page))];
      await page.context().close();
      return wrong;
    });
    expect(faults).toEqual({});
  });
});
