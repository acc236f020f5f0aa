// What an operator does with instances of customers, and what those customers see of it.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
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

/** Active instances of an account, one for each name. */
async function running(account: string, ...names: readonly string[]): Promise<readonly Read[]> {
  const token = await stand.customerToken(account);
  const launched: Read[] = [];
  for (const name of names)
    launched.push(...((await call(token, "POST", "/instances", { instance_type: "gpu_1x_a10", name })) as Read[]));
  for (const { id } of launched)
    await expect.poll(() => call(token, "GET", `/instances/${id}`)).toMatchObject({ status: "active" });
  return launched;
}

const asOperator = (path: string) => stand.signedIn(path, stand.operatorToken);
const state = async (id: string) => ((await call(stand.operatorToken, "GET", `/instances/${id}`)) as Read).status;

/** Fills in the question that is open. */
async function confirm(page: Page, name: string | RegExp, reason: string, button: string): Promise<void> {
  const question = page.getByRole("dialog", { name });
  expect(await question.getByRole("button", { name: button }).isDisabled()).toBe(true);
  await question.getByLabel("Reason").fill(reason);
  await question.getByRole("button", { name: button }).click();
  await question.waitFor({ state: "detached" });
}

describe("an operator", () => {
  it("moves a stopped instance to a host of their choice, and sees it start there", async () => {
    const [instance] = await running("mover", "to-be-moved");
    if (instance === undefined) throw new Error("BUG: nothing was launched");
    const shown = async () =>
      (await call(stand.operatorToken, "GET", `/instances/${instance.id}`)) as Read & Record<string, unknown>;
    const from = (await shown()).host as string;
    const page = await asOperator(`/operator/instances/${instance.id}`);
    await page.getByText("Up to date").waitFor();
    expect(await page.getByRole("button", { name: "Move", exact: true }).count()).toBe(0);
    await call(stand.operatorToken, "POST", `/instances/${instance.id}/stop`, { reason: "Fans" });
    await page.getByRole("button", { name: "Move", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Move to-be-moved" });
    await dialog.getByRole("combobox", { name: "New host" }).click();
    const options = page.getByRole("option");
    await options.first().waitFor();
    expect(await options.allTextContents()).not.toContain(from);
    const to = (await options.first().textContent()) ?? "";
    await options.first().click();
    await dialog.getByLabel("Reason").fill("Fans are exchanged");
    await dialog.getByRole("button", { name: "Move instance" }).click();
    await dialog.waitFor({ state: "detached" });
    await page
      .getByText(/Fans are exchanged/)
      .first()
      .waitFor();
    await expect.poll(async () => (await shown()).move).toMatchObject({ from, to, phase: "moved" });
    await page.getByText(/It starts only on its new host/).waitFor();
    await call(stand.operatorToken, "POST", `/instances/${instance.id}/restart`, { reason: "Moved" });
    await expect.poll(shown).toMatchObject({ status: "active", host: to, move: null });
    await page.getByRole("link", { name: to }).waitFor();
  });

  it("stops an instance with a reason, which its customer reads on its page, in events and in the audit log", async () => {
    const [instance] = await running("careful", "to-be-stopped");
    if (instance === undefined) throw new Error("BUG: nothing was launched");
    const page = await asOperator(`/operator/instances/${instance.id}`);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await confirm(page, "Stop to-be-stopped?", "Cooling of the rack fails", "Stop");
    await expect.poll(() => state(instance.id)).toBe("stopped");
    await page.getByRole("list", { name: "History" }).getByText("Cooling of the rack fails").waitFor();

    const customer = await stand.signedIn(`/instances/${instance.id}`, await stand.customerToken("careful"));
    await customer
      .getByRole("list", { name: "History" })
      .getByText("by the provider: Cooling of the rack fails")
      .waitFor();
    await customer.getByRole("link", { name: "Events" }).click();
    await customer.getByRole("row").getByText("by the provider: Cooling of the rack fails").waitFor();
    await customer.getByRole("link", { name: "Audit log" }).click();
    await customer.getByRole("row").getByText("Cooling of the rack fails").waitFor();
  });

  it("reboots one from the list", async () => {
    const [instance] = await running("rebooted", "to-be-rebooted");
    if (instance === undefined) throw new Error("BUG: nothing was launched");
    const page = await asOperator("/operator/instances");
    await page.getByRole("button", { name: "Actions for to-be-rebooted" }).click();
    await page.getByRole("menuitem", { name: "Reboot" }).click();
    await confirm(page, "Reboot to-be-rebooted?", "New network driver", "Reboot");
    const events = () => call(stand.operatorToken, "GET", `/events?instance_id=${instance.id}`);
    await expect.poll(events).toContainEqual(
      expect.objectContaining({
        type: "instance.booting",
        data: expect.objectContaining({ reason: "New network driver", by: "operator" }),
      }),
    );
    await expect.poll(() => state(instance.id)).toBe("active");
  });

  it("terminates several at once, of several accounts, when their number is typed", async () => {
    const both = [...(await running("first-principal", "goes-a")), ...(await running("second-principal", "goes-b"))];
    const page = await asOperator("/operator/instances");
    for (const { name } of both) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
    await page.getByRole("button", { name: "Terminate selected" }).click();
    const question = page.getByRole("dialog", { name: "Terminate 2 instances?" });
    // Names are not unique: each with its id, account, host and region.
    for (const { id, name } of both) {
      const { host, region } = (await call(stand.operatorToken, "GET", `/instances/${id}`)) as {
        host: string;
        region: { name: string };
      };
      const account = name === "goes-a" ? "first-principal" : "second-principal";
      const line = `${name} (${id.slice(-8)}) of account ${account}, on host ${host} in ${region.name}`;
      await question.getByRole("listitem").filter({ hasText: line }).waitFor();
      expect(await question.getByTitle(id, { exact: true }).count()).toBe(1);
    }
    await question.getByLabel(/^Type/).fill("2 instances");
    await confirm(page, "Terminate 2 instances?", "Hardware is replaced", "Terminate 2 instances");
    for (const { id } of both) await expect.poll(() => state(id)).toBe("terminated");
    await page.getByRole("region", { name: "Selected instances" }).waitFor({ state: "detached" });

    const customer = await stand.signedIn("/events", await stand.customerToken("second-principal"));
    await customer.getByRole("row").getByText("by the provider: Hardware is replaced").waitFor();
  });
});
