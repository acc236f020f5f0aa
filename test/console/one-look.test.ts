// What every page of the console shows alike, whoever it is for: moments are relative with the exact one on hover, and numbers
// have separators.

import { expect, it } from "vitest";
import { addresses } from "./support/addresses.ts";
import { openPage, settled } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { fixedNow } from "./support/fixed/moments.ts";

const fixed = fixedConsoleOfFile();

const exact = /^\d{1,2} [A-Z][a-z]{2} \d{4},? (at )?\d{2}:\d{2}:\d{2} UTC$/;
const relative = /^(just now|in [\d,]+ \w+|[\d,]+ \w+ ago)$/;
/** A day in words with its year, or an ISO 8601 moment: what only a title may say. */
const written = /\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}\b|\d{4}-\d\d-\d\dT\d\d/;
/** Four digits in a row before the point. */
const unseparated = /(?<![.\d])\d{4}/;

it("moments are relative with the exact one on hover, and numbers in tables have separators", async () => {
  const page = await openPage(fixed.browser);
  await page.clock.setFixedTime(fixedNow);
  const faults: string[] = [];
  let moments = 0;
  let numbers = 0;
  for (const { name, address } of addresses) {
    await page.goto(`${fixed.service.url}${address}`);
    await settled(page);
    const times = await page
      .locator("main time")
      .evaluateAll((all) => all.map((one) => [one.textContent ?? "", one.getAttribute("title") ?? ""] as const));
    for (const [text, title] of times)
      if (!relative.test(text) || !exact.test(title)) faults.push(`${name}: “${text}”, on hover “${title}”`);
    const cells = await page.locator("main td[data-align=right]").allInnerTexts();
    faults.push(...cells.filter((text) => unseparated.test(text)).map((text) => `${name}: ${text}`));
    const found = written.exec((await page.locator("main").textContent()) ?? "");
    if (found !== null) faults.push(`${name}: “${found[0]}” is written out`);
    moments += times.length;
    numbers += cells.length;
  }
  expect(faults).toEqual([]);
  expect(moments).toBeGreaterThan(50);
  expect(numbers).toBeGreaterThan(50);
});
