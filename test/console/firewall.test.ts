// A customer's firewall in the console: the rules of the account, rulesets, and an instance that is launched with one.

import { beforeAll, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { serious } from "./support/accessibility.ts";
import { painted, sizes } from "./support/browser.ts";
import { layoutFaults } from "./support/layout.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});

async function read(token: string, path: string): Promise<unknown> {
  const answer = await fetch(`${stand.control}${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: unknown }).data;
}

it("adds and removes rules of the account", async () => {
  const token = await stand.customerToken("walls");
  const page = await stand.signedIn("/firewall", token);
  await page.getByRole("rowheader", { name: "Everything" }).waitFor();

  await page.getByRole("button", { name: "Add rule" }).click();
  const form = page.getByRole("dialog", { name: "Add firewall rule" });
  await form.getByLabel("Ports").fill("99999");
  await form.getByRole("button", { name: "Add rule" }).click();
  await form.getByText("Enter a port such as 22").waitFor();
  await form.getByLabel("Ports").fill("22");
  await form.getByLabel("Source").fill("203.0.113.7/33");
  await form.getByRole("button", { name: "Add rule" }).click();
  await form.getByText("Give a network such as 192.0.2.0/24").first().waitFor();
  await form.getByRole("textbox", { name: "Source" }).fill("203.0.113.0/24");
  await form.getByLabel("Description").fill("Office");
  for (const size of sizes) {
    await page.setViewportSize(size);
    await painted(page);
    expect([...(await layoutFaults(page)), ...(await serious(page))]).toEqual([]);
  }
  await form.getByRole("button", { name: "Add rule" }).click();
  await page.getByRole("row").filter({ hasText: "Office" }).getByRole("rowheader", { name: "TCP 22" }).waitFor();

  await page.getByRole("button", { name: "Remove Everything" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("rowheader", { name: "Everything" }).waitFor({ state: "detached" });
  const office = { protocol: "tcp", port_range: [22, 22], source_network: "203.0.113.0/24", description: "Office" };
  expect(await read(token, "/firewall-rules")).toEqual([office]);

  await page.getByRole("button", { name: "Remove TCP 22" }).click();
  await page.getByText("without one, nothing can connect to your instances").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("No rules", { exact: true }).waitFor();
  expect(await read(token, "/firewall-rules")).toEqual([]);
});

it("creates a ruleset, changes it, and launches an instance with it", async () => {
  const token = await stand.customerToken("sets");
  const page = await stand.signedIn("/firewall", token);
  await page.getByRole("button", { name: "New ruleset" }).click();
  const form = page.getByRole("dialog", { name: "New firewall ruleset" });
  await form.getByLabel("Name").fill("web");
  await form.getByRole("combobox", { name: "Region" }).click();
  await page.getByRole("option", { name: /us-east-1/ }).click();
  await form.getByLabel("Ports of rule 1").fill("443");
  await form.getByRole("button", { name: "Create ruleset" }).click();
  await page.getByRole("button", { name: "Edit web" }).click();
  const edit = page.getByRole("dialog", { name: "Edit web" });
  await edit.getByRole("button", { name: "Add rule" }).click();
  await edit.getByLabel("Ports of rule 2").fill("8000-8100");
  expect(await serious(page)).toEqual([]);
  await edit.getByRole("button", { name: "Save" }).click();
  await page.getByRole("row").filter({ hasText: "web" }).getByText("2 rules").waitFor();

  await page.getByRole("link", { name: "Launch", exact: true }).click();
  await page.getByText("A10", { exact: false }).first().click();
  await page.getByRole("button", { name: "More options" }).click();
  await page.getByRole("combobox", { name: "Firewall rulesets" }).click();
  await page.getByRole("option", { name: "web (us-east-1)" }).click();
  await page.getByRole("button", { name: "Launch instance" }).click();
  await page.getByRole("heading", { level: 1, name: /^gpu_1x_a10-/ }).waitFor();
  const [ruleset] = (await read(token, "/firewall-rulesets")) as { id: string; rules: unknown[] }[];
  expect(ruleset?.rules).toHaveLength(2);
  expect(await read(token, "/instances")).toMatchObject([{ firewall_ruleset_ids: [ruleset?.id] }]);
});
