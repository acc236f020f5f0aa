// What every page of the console shows alike, also between those of customers and of operators: moments are relative with the exact
// one on hover, numbers have separators, and charts, figures and audit logs look the same.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { addresses } from "./support/addresses.ts";
import { openPage, settled, visit } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { fixedNow, idOf } from "./support/fixed/moments.ts";
import { layoutFaults } from "./support/layout.ts";

const fixed = fixedConsoleOfFile();

const exact = /^\d{1,2} [A-Z][a-z]{2} \d{4},? (at )?\d{2}:\d{2}:\d{2} UTC$/;
const relative = /^(just now|in [\d,]+ \w+( \d+ \w+)?|[\d,]+ \w+ ago)$/;
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
  await page.goto(`${fixed.service.url}/coupons`);
  await settled(page);
  for (const { name, address } of addresses) {
    await visit(page, address);
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

/** What a chart and the figures above it look like, in numbers. */
async function chartOf(page: Page) {
  await page.locator(".recharts-bar-rectangle").first().waitFor();
  return page.evaluate(() => {
    const boxes = (selector: string) =>
      [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
    const middle = ({ top, height }: DOMRect) => top + height / 2;
    const days = boxes(".recharts-xAxis-tick-labels text").map(({ left, width }) => left + width / 2);
    const lines = boxes(".recharts-cartesian-grid-horizontal line").map(middle);
    const amounts = boxes(".recharts-yAxis-tick-labels text").map(middle);
    const chart = document.querySelector(".recharts-responsive-container");
    const label = document.querySelector(".recharts-yAxis-tick-labels text");
    const figures = document.querySelector("main [class*=figures]");
    return {
      dayGaps: days.slice(1).map((day, index) => day - (days[index] ?? 0)),
      amounts: amounts.length,
      // How far each amount is from the gridline that is nearest.
      besideLines: amounts.map((amount) => Math.min(...lines.map((line) => Math.abs(line - amount)))),
      look: {
        height: chart?.clientHeight,
        label: label?.getAttribute("fill"),
        size: label === null ? "" : getComputedStyle(label).fontSize,
        box: figures === null ? "" : getComputedStyle(figures).borderRadius,
      },
    };
  });
}

it("charts of customers and operators have even days, an amount at each gridline, and one look", async () => {
  const page = await openPage(fixed.browser);
  await page.clock.setFixedTime(fixedNow);
  const looks: unknown[] = [];
  for (const [address, period] of [
    ["/usage", "Last 30 days"],
    ["/operator/revenue", "90 days"],
  ] as const) {
    await page.goto(`${fixed.service.url}${address}`);
    await settled(page);
    if (address === "/usage") {
      await page.getByRole("combobox", { name: "Period" }).click();
      await page.getByRole("option", { name: period }).click();
    } else await page.getByText(period).click();
    await settled(page);
    const { dayGaps, amounts, besideLines, look } = await chartOf(page);
    expect(dayGaps.length).toBeGreaterThan(2);
    expect(Math.max(...dayGaps) - Math.min(...dayGaps), address).toBeLessThan(1.5);
    expect(amounts).toBeGreaterThan(2);
    expect(Math.max(...besideLines), address).toBeLessThan(2);
    looks.push(look);
  }
  expect(looks[0]).toMatchObject({ height: 240, box: "10px" });
  expect(looks[1]).toEqual(looks[0]);
});

it("audit logs of customers and operators have one table, names for ids, and ids that can be told apart", async () => {
  const page = await openPage(fixed.browser);
  await page.clock.setFixedTime(fixedNow);
  const heads: string[][] = [];
  for (const [address, machines] of [
    ["/audit-log", "/instances"],
    ["/operator/audit-log", "/operator/instances"],
  ] as const) {
    await page.goto(`${fixed.service.url}${address}`);
    await settled(page);
    const table = page.getByRole("table", { name: "Audit log" });
    heads.push(await table.getByRole("columnheader").allInnerTexts());
    const launched = table.getByRole("row").filter({ hasText: "Launch instances" }).filter({ hasText: "Done" });
    const instance = idOf("instance", 1);
    const link = launched.getByRole("link", { name: "training-run-7" });
    expect(await link.getAttribute("href")).toBe(`${machines}/${instance}`);
    const short = launched.getByRole("button", { name: `${instance.slice(-8)}, copy instance id ${instance}` });
    await short.hover();
    await page.getByRole("tooltip", { name: `Copy instance id ${instance}` }).waitFor();
    // Named by the request and made by it: said once.
    expect((await launched.textContent())?.match(/training-run-7/g)).toHaveLength(1);
    // A token whose name is known with the person whose it is, and one of which the id alone is.
    await table
      .getByRole("cell", { name: /^[A-Z].+ console$/ })
      .first()
      .waitFor();
    const unknown = idOf("token", 72);
    await table.getByRole("button", { name: `${unknown.slice(-8)}, copy token id ${unknown}` }).waitFor();
    expect(await table.textContent()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    const lines = await table.locator("td code").evaluateAll((all) => all.map((one) => one.getClientRects().length));
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((count) => count !== 1)).toEqual([]);
    expect(await layoutFaults(page)).toEqual([]);
  }
  expect(heads[1]?.filter((head) => head !== "Account")).toEqual(heads[0]);
  expect(heads[1]).toContain("Account");
});
