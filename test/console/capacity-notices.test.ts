// A customer asks on the launch page to be told when there is capacity, and is, on whatever page they are then.

import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { travel } from "../support/time-travel.ts";
import { afterFile } from "../support/when-over.ts";
import { visit } from "./support/browser.ts";
import { requestsTo } from "./support/requests.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
let page: Page;
let operators: Page;
const { read, operate } = requestsTo(() => stand);
beforeAll(async () => {
  stand = await startStand(whenOver, { reconciler: { capacityReadSeconds: 0.05 } });
  page = await stand.signedIn("/", await stand.customerToken("acme"), whenOver);
  operators = await stand.signedIn("/", stand.operatorToken, whenOver);
});

const hosts = async () =>
  ((await read("/hosts")) as { name: string; gpus: { model: string }[] }[])
    .filter(({ gpus }) => gpus.some(({ model }) => model === "a10"))
    .map(({ name }) => name);

async function full(): Promise<void> {
  for (const name of await hosts()) await operate("POST", `/hosts/${name}/cordon`, { reason: "Full" });
}

async function free(): Promise<void> {
  for (const name of await hosts()) await operate("POST", `/hosts/${name}/uncordon`);
}

/** As long as it takes until both regions are announced. */
async function itLasts(): Promise<void> {
  const seen = () =>
    stand.db.selectFrom("announced_capacity").select("region").where("opposite_since", "is not", null).execute();
  await expect.poll(async () => (await seen()).length).toBe(2);
  await travel(stand.db, "15 seconds");
}

const summary = () => page.getByRole("complementary", { name: "Summary" });
const stop = () => summary().getByRole("button", { name: "Stop notifying me of gpu_1x_a10" });
const toast = (of: Page) => of.getByRole("alert").filter({ hasText: "Capacity available" });

async function chooseA10(): Promise<void> {
  await visit(page, "/launch");
  await page.getByText("A10", { exact: false }).first().click();
}

it("is offered where there is no capacity, and tells of it on another page, only its account", async () => {
  await full();
  await chooseA10();
  await summary().getByRole("button", { name: "Notify me" }).click();
  await summary().getByText("Notifying you of capacity in any region").waitFor();
  // An operator hears of all accounts, and is told of what their own asked for.
  await operate("POST", "/capacity-notices", { instance_type: "gpu_1x_a10", region: "europe-central-1" });
  await visit(page, "/ssh-keys");
  await free();
  await itLasts();
  await toast(operators).getByText("gpu_1x_a10 in europe-central-1").waitFor();
  for (const region of ["us-east-1", "europe-central-1"]) {
    await toast(page).getByText(`gpu_1x_a10 in ${region}`).waitFor();
  }
  expect(await toast(operators).count()).toBe(1);
  await toast(page).getByRole("link", { name: "Launch instance" }).first().click();
  await page.getByRole("heading", { name: "Launch instance" }).waitFor();
});

it("is ended where it was begun, also while there is capacity", async () => {
  await chooseA10();
  await stop().click();
  await stop().waitFor({ state: "detached" });
  await summary()
    .getByText(/has capacity now/)
    .waitFor();
  expect(await summary().getByRole("button", { name: "Notify me" }).count()).toBe(0);
  expect(await stand.db.selectFrom("capacity_notices").select("region").execute()).toEqual([
    { region: "europe-central-1" },
  ]);
});

it("is not offered with a token that only reads", async () => {
  await full();
  const reader = await stand.signedIn("/launch", await stand.customerToken("acme", ["read"]), whenOver);
  await reader.getByText("A10", { exact: false }).first().click();
  await reader.getByText("No capacity", { exact: true }).first().waitFor();
  expect(await reader.getByRole("button", { name: "Notify me" }).count()).toBe(0);
});
