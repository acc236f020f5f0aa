// A customer launches in the console what does not fit now: it waits, can be cancelled, and is placed when there is room.

import type { Page } from "playwright-core";
import { beforeAll, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { visit } from "./support/browser.ts";
import { requestsTo } from "./support/requests.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
let page: Page;
const { read, operate } = requestsTo(() => stand);
beforeAll(async () => {
  stand = await startStand(whenOver);
  page = await stand.signedIn("/", await stand.customerToken("acme"), whenOver);
});

/** The hosts with GPUs of the model. */
async function hostsOf(model: string): Promise<string[]> {
  const hosts = (await read("/hosts")) as { name: string; gpus: { model: string }[] }[];
  return hosts.filter(({ gpus }) => gpus.some((gpu) => gpu.model === model)).map(({ name }) => name);
}

async function launchWhenAvailable(): Promise<void> {
  await visit(page, "/launch");
  await page.getByText("A10", { exact: false }).first().click();
  await page.getByRole("button", { name: "Launch when available" }).click();
  await page.getByText("Waiting to launch gpu_1x_a10").waitFor();
}

/** As if its host was expected to have room then: which one is, and when, takes minutes of a real service. */
async function expectedIn(milliseconds: number): Promise<void> {
  await page.route("**/launches?*", async (route) => {
    const response = await route.fetch();
    const { data, ...rest } = (await response.json()) as { data: object[] };
    const expected_at = new Date(Date.now() + milliseconds).toISOString();
    await route.fulfill({ response, json: { ...rest, data: data.map((launch) => ({ ...launch, expected_at })) } });
  });
  await page.reload();
}

it("waits above the instances with what it waits for, and is cancelled there", async () => {
  for (const name of await hostsOf("a10")) await operate("POST", `/hosts/${name}/cordon`, { reason: "Full" });
  await launchWhenAvailable();
  const note = page.getByRole("status").filter({ hasText: "Waiting to launch gpu_1x_a10" });
  await note.getByText(/It is number 1 of those that wait\./).waitFor();
  await expectedIn(2 * 3_600_000);
  await note.getByText(/It is expected to be placed in (about )?2 hours?\. It expires /).waitFor();
  await page.getByRole("button", { name: "Cancel the launch of gpu_1x_a10" }).click();
  await note.waitFor({ state: "detached" });
});

it("is placed when there is room, without a reload", async () => {
  await launchWhenAvailable();
  const [first = ""] = await hostsOf("a10");
  await operate("POST", `/hosts/${first}/uncordon`);
  await page.getByText("Waiting to launch gpu_1x_a10").waitFor({ state: "detached" });
  await page.getByRole("table", { name: "Instances" }).getByText("gpu_1x_a10").first().waitFor();
});
