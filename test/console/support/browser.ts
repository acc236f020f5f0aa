// A real browser (test/support/chromium.ts), one for each worker, and for each test a context of its own (`openPage`), which
// shares no cookie with another.

import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core";
import { expect } from "vitest";
import { launchChromium } from "../../support/chromium.ts";
import { afterTest, type WhenOver } from "../../support/when-over.ts";

let browser: Promise<Browser> | undefined;

/** The browser of this worker, which ends with its process. Throws where none is installed, and says how to. */
export function openBrowser(): Promise<Browser> {
  browser ??= launchChromium({ FONTCONFIG_FILE: join(import.meta.dirname, "fonts.conf") });
  return browser;
}

/** Widths at which every page has to work: a telephone, a tablet, a laptop. */
export const sizes = [
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
] as const;

/**
 * A new page of a browser that knows nothing yet, for one test unless told. Whatever the page reports as an error fails it:
 * an exception that was not caught, what the Content-Security-Policy refused, what React warns of.
 */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
  whenOver: WhenOver = afterTest,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: sizes[2],
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  countRequests(page);
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !isAnswer(message.text())) complaints.push(`${page.url()}: ${message.text()}`);
  });
  whenOver(async () => {
    await context.close();
    expect(complaints, "what the page complained of").toEqual([]);
  });
  return page;
}

/**
 * Goes to an address within a console that is open, as a link in it does, which takes a quarter of a load. By way of an
 * address that no page has, so that nothing stays open of a page that is at this address already.
 */
export async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate(async (to) => {
    for (const one of ["/nothing-here", to]) {
      history.pushState(null, "", one);
      await new Promise((drawn) => requestAnimationFrame(drawn));
    }
  }, address);
}

/** Requests that are under way, by page; the event stream never ends and does not count. */
const underWay = new WeakMap<Page, Set<Request>>();

function countRequests(page: Page): void {
  const open = new Set<Request>();
  underWay.set(page, open);
  page.on("request", (request) => {
    if (!request.url().includes("/events/stream")) open.add(request);
  });
  // Answered is over: of an answer whose body nobody reads, Chromium never tells that it has finished.
  page.on("response", (response) => void open.delete(response.request()));
  page.on("requestfailed", (request) => void open.delete(request));
}

/** Waits until the page shows what it was opened for: its title, and nothing that is still being read. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector("h1");
  await expect
    .poll(async () => {
      const waits = await page.locator("[aria-busy=true], .mantine-Skeleton-root").count();
      return { waits, requests: [...(underWay.get(page) ?? [])].map((request) => request.url()) };
    })
    .toEqual({ waits: 0, requests: [] });
  await painted(page);
}

/** Waits until what the page is now has been drawn, and nothing is on its way from one colour to the next. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const drawn = () => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
    await document.fonts.ready;
    await drawn();
    const changing = document.getAnimations().filter((one) => one instanceof CSSTransition);
    // One that is taken back has ended too.
    await Promise.allSettled(changing.map(({ finished }) => finished));
    await drawn();
  });
}

/** Chromium tells every answer of 400 and above as an error, and every connection that failed; tests look at them themselves. */
function isAnswer(text: string): boolean {
  return text.startsWith("Failed to load resource") || text.includes("net::ERR_");
}
