// Lists on a telephone: cards, which can be sorted as the table can. Lists on a laptop: tables whose short words stay in one
// line.

import { beforeAll, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { openBrowser, openPage, settled, sizes } from "./support/browser.ts";
import { instanceTypes } from "./support/fixed/catalog.ts";
import { instances } from "./support/fixed/instances.ts";
import { fixedNow, idOf } from "./support/fixed/moments.ts";
import { type FixedService, startFixedService } from "./support/fixed/service.ts";
import { layoutFaults } from "./support/layout.ts";

const whenOver = afterFile();
let service: FixedService;
beforeAll(async () => {
  service = await startFixedService(whenOver);
});

it("cards are sorted by what is chosen, up or down", async () => {
  const page = await openPage(await openBrowser(), { viewport: sizes[0] });
  await page.clock.setFixedTime(fixedNow);
  await page.goto(`${service.url}/instances`);
  await settled(page);
  const first = page.getByRole("rowheader").first().getByRole("link").first();
  await expect.poll(() => first.textContent()).toBe("render-batch");
  const choice = page.getByLabel("Sort instances");
  await choice.selectOption("Name, ascending");
  await expect.poll(() => first.textContent()).toBe("build-runner");
  await choice.selectOption("Name, descending");
  await expect.poll(() => first.textContent()).toBe("training-run-7");
  await choice.selectOption("Cost so far, ascending");
  await expect.poll(() => first.textContent()).toBe("render-batch");
});

it("instance types and event types stay in one line on a laptop", async () => {
  const page = await openPage(await openBrowser(), { viewport: sizes[2] });
  await page.clock.setFixedTime(fixedNow);
  // Names and states of all lengths, and the longest type of the demo.
  const longest = instanceTypes.find(({ name }) => name === "gpu_8x_h100_sxm5");
  if (longest === undefined) throw new Error("BUG: no such type");
  const type = { ...longest, description: "8x H100 (80 GB SXM5)" };
  const all = instances.map((one, index) => ({
    ...one,
    instance_type: type,
    tags: [],
    name: index % 2 === 0 ? "a-name-of-a-few-more-words" : one.name,
  }));
  service.instead.set("/instances", { data: all });
  const data = { account_id: idOf("account", 1) };
  const event = { id: idOf("event", 1), type: "account.firewall_changed", timestamp: fixedNow.toISOString(), data };
  const { account_id } = data;
  service.instead.set("/events", { data: [{ ...event, account_id }], next_cursor: "1.1", has_more: false });
  for (const [address, words] of [
    ["/instances", "main td span[title^=gpu_]"],
    ["/operator/instances", "main td span[title^=gpu_]"],
    ["/events", "main td code"],
  ] as const) {
    await page.goto(`${service.url}${address}`);
    await settled(page);
    const lines = await page.locator(words).evaluateAll((all) => all.map((one) => one.getClientRects().length));
    expect(lines.length, address).toBeGreaterThan(0);
    expect(
      lines.filter((count) => count !== 1),
      address,
    ).toEqual([]);
    const heights = await page
      .locator("main tbody tr")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.max(...heights), address).toBeLessThan(96);
    expect(await layoutFaults(page), address).toEqual([]);
    const scrolls = await page
      .locator("main table")
      .evaluate(({ parentElement: frame }) => (frame?.scrollWidth ?? 0) - (frame?.clientWidth ?? 0));
    expect(scrolls, address).toBeLessThanOrEqual(0);
  }
  service.instead.clear();
});
