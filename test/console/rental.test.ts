// A customer launches an instance in the console: from the sign-in to its end, with a mouse, and with the keyboard alone.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { signIn } from "../support/chromium.ts";
import { afterFile } from "../support/when-over.ts";
import { lineTo } from "./support/line.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});

/** The customer's machines, as the control API has them. */
async function machines(
  token: string,
): Promise<{ name: string; status: string; coupon: unknown; cost_cents: string }[]> {
  const answer = await fetch(`${stand.control}/instances`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { data: never }).data;
}

/** Rents a machine as a program does. */
async function launch(token: string, name: string): Promise<void> {
  const answer = await fetch(`${stand.control}/instances`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ instance_type: "gpu_1x_a10", name }),
  });
  expect(answer.status).toBe(200);
}

const state = (page: Page, word: string) => page.locator("header").getByText(word, { exact: true });

describe("a rental", () => {
  it("goes from the sign-in over a product with a coupon to a machine that is up, and to its end", async () => {
    const token = await stand.customerToken("mouse");
    const page = await stand.signedIn("/launch", token);

    await page.getByText("A10", { exact: false }).first().click();
    const summary = page.getByRole("complementary", { name: "Summary" });
    await summary.getByText("$0.75").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("first-machine");
    await summary.getByLabel("Coupon").fill("WELCOME10");
    await summary.getByText("10 % off").waitFor();
    // Not rounded to what it is not.
    await summary.getByText(/\$0\.675/).waitFor();
    await summary.getByRole("button", { name: "Launch instance" }).click();

    await page.getByRole("heading", { level: 1, name: "first-machine" }).waitFor();
    await state(page, "Active").waitFor();
    // Nothing answers at the address of a simulated instance.
    await page.getByText("Simulated: its address does not respond").waitFor();
    expect(await page.getByText(/ssh ubuntu@/).count()).toBe(0);
    expect(await machines(token)).toMatchObject([
      { name: "first-machine", status: "active", coupon: { code: "WELCOME10", discount_percent: 10 } },
    ]);

    await page.getByRole("button", { name: "Terminate" }).click();
    const question = page.getByRole("dialog");
    const confirm = question.getByRole("button", { name: "Terminate" });
    expect(await confirm.isDisabled()).toBe(true);
    await question.getByRole("textbox").fill("first-machine");
    await confirm.click();
    await state(page, "Terminated").waitFor();
    expect(await machines(token)).toMatchObject([{ status: "terminated" }]);
  });

  it("needs no mouse", async () => {
    const token = await stand.customerToken("keyboard");
    const page = await stand.open("/launch");
    await page.getByLabel("Token", { exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("password");
    await page.keyboard.type(token);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Launch instance" }).waitFor();
    await page.getByRole("radio").first().waitFor({ state: "attached" });

    await tabTo(page, () => document.activeElement?.getAttribute("type") === "radio");
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("complementary", { name: "Summary" }).getByText("$").first().waitFor();
    await tabTo(page, () => document.activeElement?.textContent?.trim() === "Launch instance");
    await page.keyboard.press("Enter");

    await state(page, "Active").waitFor();
    await tabTo(page, () => document.activeElement?.textContent?.trim() === "Terminate");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await tabTo(page, () => document.activeElement?.tagName === "INPUT");
    const name = await page.getByRole("heading", { level: 1 }).textContent();
    await page.keyboard.type(name ?? "");
    await page.keyboard.press("Enter");
    await state(page, "Terminated").waitFor();
    expect(await machines(token)).toMatchObject([{ status: "terminated" }]);
  });
});

/** Goes on with Tab until it has reached what is looked for. Fails after a hundred. */
async function tabTo(page: Page, reached: () => boolean): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    if (await page.evaluate(reached)) return;
    await page.keyboard.press("Tab");
  }
  expect.fail(`not reached with Tab: ${reached}`);
}

describe("what happens elsewhere", () => {
  it("is shown without being asked for", async () => {
    const token = await stand.customerToken("live");
    const page = await stand.signedIn("/instances", token);
    await page.getByText("No instances", { exact: true }).waitFor();
    await launch(token, "from-a-program");
    await page.getByRole("link", { name: "from-a-program" }).waitFor();
    await page.getByRole("row").filter({ hasText: "from-a-program" }).getByText("Active").waitFor();
  });
});

describe("a connection that is lost", () => {
  it("is told, what was read stays, and everything is up to date when it is back", async () => {
    const token = await stand.customerToken("offline");
    const line = await lineTo(stand.url);
    const page = await stand.open();
    await page.goto(`${line.url}/instances`);
    await signIn(page, token);
    await page.getByText("No instances", { exact: true }).waitFor();

    line.cut();
    await page.getByText("Connection lost.").waitFor();
    await page.getByText("No instances", { exact: true }).waitFor();
    await launch(token, "meanwhile");
    await stand.reconciler.idle();

    line.mend();
    await page.getByRole("link", { name: "meanwhile" }).waitFor({ timeout: 30_000 });
    await page.getByText("Connection lost.").waitFor({ state: "detached" });
  });
});
