// Spot in the console: an operator gives a type a spot price, a customer launches at it, and sees the instance evicted.

import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { travel } from "../support/time-travel.ts";
import { afterFile } from "../support/when-over.ts";
import { serious } from "./support/accessibility.ts";
import { painted, sizes, visit } from "./support/browser.ts";
import { layoutFaults } from "./support/layout.ts";
import { requestsTo } from "./support/requests.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
let page: Page;
const { read, operate } = requestsTo(() => stand);
const type = "gpu_1x_t4";

/** The only one with a GPU of this type. */
const host = {
  ...{ engine: "simulated", region: "us-east-1", vcpus: 32, memory_gib: 256, storage_gb: 2000 },
  gpus: [{ address: "0000:17:00.0", model: "t4", memory_gib: 16, numa_node: 0 }],
};

beforeAll(async () => {
  stand = await startStand(whenOver);
  await operate("PUT", "/hosts/us-east-1-t4-01", host);
  const size = { gpus: 1, gpu_model: "t4", vcpus: 8, memory_gib: 64, storage_gb: 500 };
  await operate("PUT", `/instance-types/${type}`, { ...size, description: "1x T4", price_cents_per_hour: 75 });
  page = await stand.signedIn("/", await stand.customerToken("acme"), whenOver);
});

/** A launch of another account that needs the GPU. Returns its id. */
async function needed(): Promise<string> {
  const answer = await fetch(`${stand.control}/instances`, {
    method: "POST",
    headers: { authorization: `Bearer ${await stand.customerToken("rival")}`, "content-type": "application/json" },
    body: JSON.stringify({ instance_type: type, wait: { until: new Date(Date.now() + 3_600_000).toISOString() } }),
  });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { data: { launch: { id: string } } }).data.launch.id;
}

async function fits(): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    await painted(page);
    expect([...(await layoutFaults(page)), ...(await serious(page))]).toEqual([]);
  }
}

const notice = () => page.getByRole("status").filter({ hasText: "Spot instance is being evicted" });

it("an operator gives a type a spot price, which cannot be above its price, and takes it away", async () => {
  const operator = await stand.signedIn("/operator/catalog", stand.operatorToken);
  const row = operator.getByRole("row").filter({ hasText: type });
  await row.getByText("none", { exact: true }).waitFor();
  const change = async (price: string) => {
    await operator.getByRole("button", { name: `Change ${type}` }).click();
    await operator.getByLabel("Spot price per hour").fill(price);
    await operator.getByRole("button", { name: "Save" }).click();
  };
  const dialog = operator.getByRole("dialog", { name: `Change ${type}` });
  await change("0.76");
  await dialog.getByText("Give a spot price that is not above the price, or null for no spot.").waitFor();
  await operator.getByLabel("Spot price per hour").fill("0.30");
  await operator.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await row.getByText("$0.30").waitFor();
  await change("");
  await dialog.waitFor({ state: "detached" });
  await row.getByText("none", { exact: true }).waitFor();
  await change("0.30");
  await dialog.waitFor({ state: "detached" });
  await row.getByText("$0.30").waitFor();
});

it("a customer chooses spot for a type that has it, pays its price, and finds the instance marked", async () => {
  await visit(page, "/launch");
  const summary = page.getByRole("complementary", { name: "Summary" });
  const choice = page.getByRole("switch", { name: "Spot instance for $0.30 /h instead of $0.75" });
  await page.getByText("A10", { exact: false }).first().click();
  await summary.getByText("$0.75").waitFor();
  expect(await choice.count()).toBe(0);
  await page.getByText("spot $0.30").click();
  await choice.check();
  await summary.getByText("$0.30").waitFor();
  await summary.getByText("Spot", { exact: true }).waitFor();
  await summary.getByText("--spot").waitFor();
  // Kept for a type that has it, and not asked for of one that has not.
  await page.getByText("A10", { exact: false }).first().click();
  await summary.getByText("$0.75").waitFor();
  expect(await summary.getByText("--spot").count()).toBe(0);
  await page.getByText("spot $0.30").click();
  await summary.getByText("--spot").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("cheap");
  await page.getByRole("button", { name: "More options" }).click();
  await page.getByLabel("Maximum price per hour").fill("0.29");
  await summary.getByText("Fix the maximum price under More options").waitFor();
  await page.getByLabel("Maximum price per hour").fill("0.30");
  await fits();
  const request = page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith("/instances"));
  await summary.getByRole("button", { name: "Launch instance" }).click();
  expect((await request).postDataJSON()).toMatchObject({
    instance_type: type,
    spot: true,
    max_price_cents_per_hour: 30,
  });
  await page.getByRole("heading", { level: 1, name: "cheap" }).waitFor();
  const header = page.locator("header").filter({ hasText: "cheap" });
  await header.getByText("Spot", { exact: true }).waitFor();
  await header.getByText("active").waitFor();
  await page.getByText("Spot price", { exact: true }).waitFor();
  expect(await notice().count()).toBe(0);
});

it("its page and the list say when it is evicted, as soon as it is known, and no longer when it is withdrawn", async () => {
  const id = await needed();
  await notice()
    .getByText(/terminated with its disk in (1 min \d+ s|2 min|\d+ s)/)
    .waitFor();
  const first = await notice().locator("time").textContent();
  await expect.poll(() => notice().locator("time").textContent()).not.toBe(first);
  await fits();
  await visit(page, "/instances");
  const row = page.getByRole("row").filter({ hasText: "cheap" });
  await row.getByText("Spot", { exact: true }).waitFor();
  await row.getByText(/evicted in/).waitFor();
  await fits();
  const operator = await stand.signedIn("/operator/instances", stand.operatorToken);
  const any = operator.getByRole("row").filter({ hasText: "cheap" });
  await any.getByText("Spot", { exact: true }).waitFor();
  await any.getByText(/evicted in/).waitFor();
  await any.getByRole("link", { name: "cheap" }).click();
  await operator.getByRole("heading", { level: 1, name: "cheap" }).waitFor();
  await operator.getByText("Spot price", { exact: true }).waitFor();
  const rival = await stand.customerToken("rival");
  const cancelled = await fetch(`${stand.control}/launches/${id}/cancel`, {
    method: "POST",
    headers: { authorization: `Bearer ${rival}` },
  });
  expect(cancelled.status).toBe(200);
  await row.getByText(/evicted in/).waitFor({ state: "detached" });
  await row.getByText("active").waitFor();
});

it("is evicted at the end of its notice, and its page says why, and that it cost nothing", async () => {
  await page.getByRole("row").filter({ hasText: "cheap" }).getByRole("link", { name: "cheap" }).click();
  await page.getByRole("heading", { level: 1, name: "cheap" }).waitFor();
  await needed();
  await notice().waitFor();
  await travel(stand.db, "121 seconds");
  await stand.reconciler.sweepNow();
  for (let round = 0; round < 4; round++) await stand.reconciler.idle();
  await page.getByText("It was a spot instance, and a launch or a reservation needed what it held.").waitFor();
  await page.getByText("Evicted within five minutes, it costs nothing.").waitFor();
  expect(await notice().count()).toBe(0);
  await fits();
  const instances = (await read("/instances")) as { instance_type: { name: string }; spot: boolean }[];
  expect(instances.some((one) => one.instance_type.name === type && !one.spot)).toBe(true);
});
