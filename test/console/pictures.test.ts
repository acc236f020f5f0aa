// What pictures show: the same page is the same picture each time, and the navigation is in the pictures of the frame alone.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openPage, settled, sizes } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { fixedNow } from "./support/fixed/moments.ts";
import { type Part, photograph } from "./support/pictures.ts";

const fixed = fixedConsoleOfFile();

async function opened(now: Date = fixedNow): Promise<Page> {
  const page = await openPage(fixed.browser, { viewport: sizes[2] });
  await page.clock.setFixedTime(now);
  await page.goto(`${fixed.service.url}/tokens`);
  await settled(page);
  return page;
}

const bytes = async (page: Page, part: Part) => (await photograph(page, part)).data.toString("base64");

it("the same page is the same picture, pixel for pixel, whenever it is taken", async () => {
  const first = await bytes(await opened(), "content");
  expect((await bytes(await opened(), "content")) === first).toBe(true);
  // Relative times are shown: another clock is another picture.
  expect((await bytes(await opened(new Date(fixedNow.getTime() + 86_400_000)), "content")) === first).toBe(false);
});

it("a change of the navigation is in the frame's pictures, and in no page's", async () => {
  const page = await opened();
  const before = { content: await bytes(page, "content"), frame: await bytes(page, "frame") };
  await page
    .locator("nav a")
    .last()
    .evaluate((link) => link.append(" and more"));
  await page
    .locator("nav a")
    .first()
    .evaluate((link) => link.append(" and more"));
  expect((await bytes(page, "content")) === before.content).toBe(true);
  expect((await bytes(page, "frame")) === before.frame).toBe(false);
});

it("a change of a page is in its pictures, and not in the frame's", async () => {
  const page = await opened();
  const before = { content: await bytes(page, "content"), frame: await bytes(page, "frame") };
  await page.locator("h1").evaluate((title) => title.append(" and more"));
  expect((await bytes(page, "content")) === before.content).toBe(false);
  expect((await bytes(page, "frame")) === before.frame).toBe(true);
});
