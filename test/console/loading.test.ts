// What every page is while it loads and where there is nothing, no answer, or a failure: it does not jump, it says what it
// waits for, what is not there, and what went wrong.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { extent } from "../support/short.ts";
import { afterFile } from "../support/when-over.ts";
import { serious } from "./support/accessibility.ts";
import { addresses, type PageAddress } from "./support/addresses.ts";
import { openPage, settled, sizes, visit } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { fixedNow } from "./support/fixed/moments.ts";
import { layoutFaults } from "./support/layout.ts";

const fixed = fixedConsoleOfFile();
const whenOver = afterFile();

describe("a page", () => {
  let page: Page;
  beforeAll(async () => {
    page = await openPage(fixed.browser, {}, whenOver);
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
  });

  for (const { address } of addresses) {
    it(`${address} does not jump while it loads`, async () => {
      fixed.service.manner = "answers";
      fixed.service.delay = 80;
      for (const size of extent([sizes[2], sizes[0]], [sizes[0]])) {
        await page.setViewportSize(size);
        await page.goto(`${fixed.service.url}${address}`);
        await settled(page);
        const moved = await page.evaluate(() => (globalThis as unknown as { moved: { sum: number } }).moved.sum);
        expect(moved, `at ${size.width}`).toBeLessThan(0.05);
      }
      fixed.service.delay = 0;
    });
  }
});

/** Pages that read nothing before somebody types: they neither wait nor fail. */
const readNothing = "/coupons";
const readers = addresses.filter(({ address }) => address !== readNothing);

/** Visits each of the pages: what is wrong with it, as `faultsOf` tells, by address; empty where all is well. */
async function faultsOfAll(
  page: Page,
  pages: readonly PageAddress[],
  faultsOf: (address: string) => Promise<string[]>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  await page.goto(`${fixed.service.url}${readNothing}`);
  await settled(page);
  for (const { address } of pages) {
    await visit(page, address);
    const faults = await faultsOf(address).catch((error: unknown) => [String(error)]);
    if (faults.length > 0) found[address] = faults;
  }
  return found;
}

describe("every page", () => {
  it("says that it is loading, as long as there is no answer", async () => {
    fixed.service.manner = "answers";
    const page = await openPage(fixed.browser);
    await page.clock.setFixedTime(fixedNow);
    // Held back in the browser: of requests that a service does not answer it sends but a few at a time.
    const isRead = ({ pathname }: URL) => pathname.startsWith("/control/") && !pathname.endsWith("/stream");
    await page.route(isRead, () => {});
    const faults = await faultsOfAll(page, readers, async () => {
      await page.locator("main h1").waitFor();
      await page.locator("main [aria-busy=true], main .mantine-Skeleton-root").first().waitFor({ state: "attached" });
      return page.getByRole("alert").allTextContents();
    });
    expect(faults).toEqual({});
  });

  it("says so where the service fails, with the id of the request", async () => {
    fixed.service.manner = "fails";
    const page = await openPage(fixed.browser);
    await page.clock.install({ time: fixedNow });
    const faults = await faultsOfAll(page, readers, async () => {
      const alert = page.getByRole("alert");
      // After it has tried again by itself, a second and two seconds later.
      const alerts = async () => {
        await page.clock.fastForward(1000);
        return alert.count();
      };
      await expect.poll(alerts).toBeGreaterThan(0);
      await page.getByText("Something went wrong.").first().waitFor();
      await page
        .getByRole("button", { name: /request id/ })
        .first()
        .waitFor();
      return layoutFaults(page);
    });
    expect(faults).toEqual({});
  });

  it("of a list says that there is nothing where there is nothing, and can be used", async () => {
    fixed.service.manner = "is-empty";
    // Of one thing there is no empty world, and a server has keys from its first start on.
    const lists = addresses.filter(({ name }) => !name.endsWith("-one"));
    const hasRows = new Set(["/operator/replicas"]);
    // Of the service's rules, which are there before there is anything.
    const rules = 'table[aria-label="What each role may do"]';
    const page = await openPage(fixed.browser, { viewport: sizes[0] });
    await page.clock.setFixedTime(fixedNow);
    const faults = await faultsOfAll(page, lists, async (address) => {
      await settled(page);
      const rows = hasRows.has(address)
        ? []
        : await page.locator(`main table:not(${rules}) tbody tr`).allTextContents();
      return [...rows, ...(await layoutFaults(page)), ...(await serious(page))];
    });
    expect(faults).toEqual({});
  });
});
