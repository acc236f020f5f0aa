// What customers do with their instances beside launching them: rename, tag, reboot, launch again, several at once, and how
// they log in.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { serious } from "./support/accessibility.ts";
import { painted, settled, sizes } from "./support/browser.ts";
import { layoutFaults } from "./support/layout.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});

interface Read {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

async function call(token: string, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${stand.control}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status, path).toBeLessThan(300);
  return ((await answer.json()) as { data: unknown }).data;
}

/** An active instance of the token's account. */
async function running(token: string, name: string, more: object = {}): Promise<Read> {
  const body = { instance_type: "gpu_1x_a10", name, ...more };
  const [launched] = (await call(token, "POST", "/instances", body)) as Read[];
  if (launched === undefined) throw new Error("BUG: nothing was launched");
  await expect.poll(() => read(token, launched.id)).toMatchObject({ status: "active" });
  return launched;
}

const read = async (token: string, id: string) => (await call(token, "GET", `/instances/${id}`)) as Read;
const all = async (token: string) => (await call(token, "GET", "/instances")) as Read[];

async function more(page: Page, item: string): Promise<void> {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

async function usable(page: Page): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    await painted(page);
    expect([...(await layoutFaults(page)), ...(await serious(page))]).toEqual([]);
  }
}

describe("an instance", () => {
  it("is renamed, tagged and rebooted on its page, and its list is filtered by its tags", async () => {
    const token = await stand.customerToken("labels");
    const { id } = await running(token, "before");
    await running(token, "in-use");
    const page = await stand.signedIn(`/instances/${id}`, token);

    await more(page, "Rename");
    const rename = page.getByRole("dialog", { name: "Rename before" });
    await rename.getByLabel("Name").fill("in-use");
    await rename.getByText("Another instance has this name.").waitFor();
    await rename.getByLabel("Name").fill("after");
    await rename.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { level: 1, name: "after" }).waitFor();

    await more(page, "Edit tags");
    const tags = page.getByRole("dialog", { name: "Tags of after" });
    await tags.getByLabel("Key of tag 1").fill("te=am");
    await tags.getByText("A key must not contain =").waitFor();
    expect(await tags.getByRole("button", { name: "Save tags" }).isDisabled()).toBe(true);
    await tags.getByLabel("Key of tag 1").fill("team");
    await tags.getByLabel("Value of tag 1").fill("vision");
    await usable(page);
    await tags.getByRole("button", { name: "Save tags" }).click();
    await tags.waitFor({ state: "detached" });
    expect(await read(token, id)).toMatchObject({ name: "after", tags: [{ key: "team", value: "vision" }] });

    await page.getByRole("button", { name: "Reboot" }).click();
    await page.getByRole("dialog", { name: "Reboot after?" }).getByRole("button", { name: "Reboot" }).click();
    await expect.poll(() => call(token, "GET", `/events?instance_id=${id}&types=instance.booting`)).toHaveLength(2);

    await page.getByRole("link", { name: "team=vision" }).click();
    await page.getByRole("row").filter({ hasText: "after" }).waitFor();
    expect(await page.getByRole("row").filter({ hasText: "in-use" }).count()).toBe(0);
    await page.getByRole("combobox", { name: "Tags" }).press("Backspace");
    await page.getByRole("row").filter({ hasText: "in-use" }).waitFor();
  });

  it("has a faulty GPU reported and is replaced by another one like it", async () => {
    const token = await stand.customerToken("faulty");
    const { id } = await running(token, "broken", { env_vars: { A: "b" } });
    const page = await stand.signedIn(`/instances/${id}`, token);
    await more(page, "Report a faulty GPU");
    const dialog = page.getByRole("dialog", { name: "Report a faulty GPU of broken" });
    await dialog.getByRole("button", { name: "Report" }).click();
    await dialog.getByText("Say what is wrong.").waitFor();
    await dialog.getByLabel("What is wrong").fill("Falls off the bus");
    await usable(page);
    await dialog.getByRole("button", { name: "Report" }).click();
    const reported = page.getByRole("dialog", { name: "Reported" });
    await reported.getByText("1 GPU leaves service when broken ends.").waitFor();
    await usable(page);
    await reported.getByRole("button", { name: "Launch a replacement" }).click();
    await reported.getByRole("status").getByText("is launched.").waitFor();
    expect(await reported.getByText("Launch a replacement").count()).toBe(0);
    await usable(page);

    // In another dialog, it is the same one.
    await page.reload();
    await more(page, "Report a faulty GPU");
    await dialog.getByLabel("What is wrong").fill("Still");
    await dialog.getByRole("button", { name: "Report" }).click();
    await reported.getByText("1 GPU leaves service when broken ends.").waitFor();
    const named = (name: string) => reported.getByRole("button", { name }).last();
    const boxes = [await named("Close").boundingBox(), await named("Launch a replacement").boundingBox()];
    expect(boxes[0]?.y).toBe(boxes[1]?.y);
    await reported.getByRole("button", { name: "Launch a replacement" }).click();
    await reported.getByRole("status").getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: /^gpu_/ }).waitFor();
    const all = (await call(token, "GET", "/instances")) as { id: string; has_env_vars: boolean }[];
    expect(all.map((one) => [one.id === id, one.has_env_vars])).toEqual([
      [true, true],
      [false, true],
    ]);
    expect(await call(token, "GET", `/events?instance_id=${id}&types=instance.fault_reported`)).toHaveLength(2);
  });

  it("is launched again with what it was launched with, under a name that is pointed out as in use", async () => {
    const token = await stand.customerToken("again");
    await call(token, "POST", "/ssh-keys", { name: "laptop" });
    const given = { ssh_key_names: ["laptop"], region: "us-east-1", env_vars: { A: "b" }, command: "true" };
    const { id } = await running(token, "twin", { ...given, tags: [{ key: "run", value: "7" }] });
    const page = await stand.signedIn("/instances", token);
    await page.getByRole("button", { name: "Actions for twin" }).click();
    await page.getByRole("menuitem", { name: "Launch again" }).click();
    await page.getByText("Enter its environment variables again").waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("twin");
    await page.getByText("You already have an instance named twin.").waitFor();
    await page.getByRole("textbox", { name: "Quantity" }).fill("2");
    await page.getByText("Named twin-1, twin-2").waitFor();
    await page.getByRole("button", { name: "Launch 2 instances" }).click();
    await page.getByRole("link", { name: "twin-2" }).waitFor();
    const again = (await all(token)).filter((one) => one.id !== id);
    expect(again.map(({ name }) => name).sort()).toEqual(["twin-1", "twin-2"]);
    const like = { ssh_key_names: ["laptop"], region: { name: "us-east-1" }, tags: [{ key: "run", value: "7" }] };
    expect(again).toMatchObject([like, like]);
    const [one] = again;
    expect(await read(token, one?.id ?? "")).toMatchObject({ command: "true", has_env_vars: false });
  });

  it("shows its password to a token with write, hidden until it is revealed, and no other", async () => {
    const token = await stand.customerToken("password");
    const { id } = await running(token, "locked", { password_without_keys: true });
    const { password } = (await read(token, id)) as unknown as { password: string };
    const page = await stand.signedIn(`/instances/${id}`, token);
    await page.getByRole("button", { name: "Reveal password" }).waitFor();
    expect(await page.getByText(password, { exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "copy password", exact: true }).waitFor();
    await page.getByRole("button", { name: "Reveal password" }).click();
    await page.getByText(password, { exact: true }).waitFor();
    await page.getByRole("button", { name: `${password}, copy password` }).waitFor();
    await page.getByRole("button", { name: "Hide password" }).click();
    await expect.poll(() => page.getByText(password, { exact: true }).count()).toBe(0);
    await usable(page);

    const reader = await stand.signedIn(`/instances/${id}`, await stand.customerToken("password", ["read"]));
    await reader.getByText("does not have the scope write").waitFor();
    expect(await reader.getByRole("button", { name: "Reveal password" }).count()).toBe(0);
  });
});

describe("the list of instances", () => {
  it("has the newest first, and stops, reboots and terminates several at once", async () => {
    const token = await stand.customerToken("several");
    const names = ["one", "two", "three"];
    for (const name of names) await running(token, name);
    const page = await stand.signedIn("/instances", token);
    await page.getByRole("link", { name: "three" }).waitFor();
    expect(await page.getByRole("rowheader").getByRole("link").allTextContents()).toEqual(["three", "two", "one"]);

    for (const name of ["one", "two"]) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
    await usable(page);
    await page.getByRole("button", { name: "Stop selected" }).click();
    const stop = page.getByRole("dialog", { name: "Stop 2 instances?" });
    await stop.getByText("two, one.").waitFor();
    await stop.getByRole("button", { name: "Stop 2 instances" }).click();
    await expect
      .poll(async () => (await all(token)).map(({ status }) => status).sort())
      .toEqual(["active", "stopped", "stopped"]);

    await page.getByRole("checkbox", { name: "Select all shown instances" }).check();
    await page.getByRole("button", { name: "Terminate selected" }).click();
    const question = page.getByRole("dialog", { name: "Terminate 3 instances?" });
    const button = question.getByRole("button", { name: "Terminate 3 instances" });
    expect(await button.isDisabled()).toBe(true);
    await question.getByLabel(/^Type/).fill("3 instances");
    await button.click();
    await expect
      .poll(async () => new Set((await all(token)).map(({ status }) => status)))
      .toEqual(new Set(["terminated"]));
    await page.getByText("No instances", { exact: true }).waitFor();
    await settled(page);
  });
});
