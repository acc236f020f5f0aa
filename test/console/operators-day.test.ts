// What an operator does in a day, in the console: changes a coupon and a price, gives a customer a token and a quota, looks
// at why something does not fit and at what was earned. All in one page. Hosts: operators-hosts.test.ts.

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { travel } from "../support/time-travel.ts";
import { afterFile } from "../support/when-over.ts";
import { visit } from "./support/browser.ts";
import { requestsTo } from "./support/requests.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
let page: Page;
const { read, operate, rent, rentUp } = requestsTo(() => stand);
beforeAll(async () => {
  stand = await startStand(whenOver);
  page = await stand.signedIn("/", stand.operatorToken, whenOver);
});

describe("capacity", () => {
  it("says why nothing fits, filter by filter", async () => {
    await visit(page, "/operator/capacity");
    await page.getByRole("button", { name: /^gpu_1x_a10 in us-west-1/ }).click();
    const explanation = page.getByRole("dialog");
    await explanation.getByText("GPU model not available").waitFor();
    await explanation.getByText("that have this GPU model").waitFor();
  });
});

describe("coupons", () => {
  it("are refused at the field that is wrong, and put when it is mended", async () => {
    await visit(page, "/operator/coupons");
    await page.getByRole("button", { name: "New coupon" }).click();
    const form = page.getByRole("dialog");
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("Is required.").waitFor();
    await form.getByLabel("Code").fill("AUTUMN");
    await form.getByLabel("Discount in percent").fill("120");
    await form.getByLabel("Expires (UTC)").fill("2099-10-31T23:59:59");
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("Must be at most 100.").waitFor();
    expect(await form.getByLabel("Discount in percent").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("Discount in percent").fill("20");
    await form.getByRole("button", { name: "Create" }).click();
    await page.getByRole("row").filter({ hasText: "AUTUMN" }).getByText("20 %").waitFor();
    expect(await read("/coupons")).toContainEqual(
      expect.objectContaining({ code: "AUTUMN", discount_percent: 20, deactivation_date: "2099-10-31T23:59:59.000Z" }),
    );
  });

  it("are changed and deleted", async () => {
    await visit(page, "/operator/coupons");
    await page.getByRole("button", { name: "Change WELCOME10" }).click();
    const form = page.getByRole("dialog");
    await form.getByRole("switch", { name: "Active" }).uncheck();
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row").filter({ hasText: "WELCOME10" }).getByText("Inactive").waitFor();
    await page.getByRole("button", { name: "Delete SUMMER2024" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("row").filter({ hasText: "SUMMER2024" }).waitFor({ state: "detached" });
  });
});

describe("the catalogue", () => {
  it("takes a new price, which the next quote has", async () => {
    await visit(page, "/operator/catalog");
    await page.getByRole("button", { name: "Change gpu_1x_a6000" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Price per hour", { exact: true }).fill("1.25");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row").filter({ hasText: "gpu_1x_a6000" }).getByText("$1.25").waitFor();
    expect(await read("/instance-types")).toContainEqual(
      expect.objectContaining({ name: "gpu_1x_a6000", price_cents_per_hour: 125, gpus: 1, gpu_model: "a6000" }),
    );
  });

  it("keeps what it refuses to delete, and says why", async () => {
    await visit(page, "/operator/catalog?of=regions");
    await page.getByRole("button", { name: "Delete us-east-1" }).click();
    const question = page.getByRole("dialog");
    await question.getByRole("textbox").fill("us-east-1");
    await question.getByRole("button", { name: "Delete" }).click();
    await question.getByRole("alert").waitFor();
    expect(await read("/regions")).toContainEqual(expect.objectContaining({ name: "us-east-1" }));
  });
});

describe("accounts", () => {
  it("are made, given a quota, and a token that is shown once and works", async () => {
    await visit(page, "/operator/accounts");
    await page.getByRole("button", { name: "New account" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Initech");
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "Initech" }).waitFor();

    await page.getByLabel("GPUs").fill("-1");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Must be at least 0.").waitFor();
    await page.getByLabel("GPUs").fill("3");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved Initech.").waitFor();

    await page.getByRole("button", { name: "New token" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("first");
    await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
    const token = (await page.getByRole("dialog").locator("pre").textContent())?.trim() ?? "";
    await page.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(token);
    const answer = await fetch(`${stand.control}/account`, { headers: { authorization: `Bearer ${token}` } });
    expect(await answer.json()).toMatchObject({ data: { name: "Initech", quotas: { gpus: 3 } } });
  });
});

describe("revenue", () => {
  it("is what was used, for each account", async () => {
    await rentUp("spender", { instance_type: "gpu_1x_h100_pcie", name: "expensive" });
    await travel(stand.db, "100 minutes");
    await visit(page, "/operator/revenue");
    // Ninety days, for the first minutes of a month lie in the one before.
    await page.getByText("90 days").click();
    const row = page.getByRole("row").filter({ hasText: "spender" });
    // Time goes on meanwhile: a cent in fourteen seconds.
    await row.getByText(/^1 h 4[01] min$/).waitFor();
    await row.getByText(/^\$4\.1[5-9]$/).waitFor();
  });

  it("is saved as CSV, a line for each day and account of the period that is shown", async () => {
    await visit(page, "/operator/revenue");
    await page.getByText("90 days").click();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    // The days that it was asked for stand in its name.
    const [from, to] = saved.suggestedFilename().match(/\d{4}-\d{2}-\d{2}/g) ?? [];
    expect(saved.suggestedFilename()).toBe(`revenue-${from}-${to}.csv`);
    const [header, ...lines] = (await readFile(await saved.path(), "utf8")).trimEnd().split("\r\n");
    expect(header).toMatch(/^day,account_id,.*cost_micro_cents/);
    const days = (await read(`/usage/days?from=${from}&to=${to}`)) as { day: string; account_id: string }[];
    expect(days).not.toEqual([]);
    expect(lines.map((line) => line.split(",").slice(0, 2))).toEqual(
      days.map(({ day, account_id }) => [day, account_id]),
    );
  });
});

describe("the instances of all accounts", () => {
  it("appear without being asked for, newest first, and lead to whose they are", async () => {
    await visit(page, "/operator/instances");
    await page.getByRole("table").waitFor();
    await rent("newcomer", { instance_type: "gpu_1x_a10", name: "just-launched" });
    await page.getByRole("link", { name: "just-launched" }).waitFor();
    const first = page.getByRole("row").nth(1);
    await first.getByRole("link", { name: "just-launched" }).waitFor();
    await first.getByText("1x A10 (24 GB PCIe)").waitFor();
    await page.getByRole("link", { name: "just-launched" }).click();
    await page.getByRole("heading", { level: 1, name: "just-launched" }).waitFor();
    await page.getByRole("list", { name: "History" }).getByText("Active", { exact: true }).waitFor();
    await page.getByRole("link", { name: "newcomer" }).click();
    await page.getByRole("heading", { level: 1, name: "newcomer" }).waitFor();
  });
});

describe("a launch that does not go as it should", () => {
  it("is found with its reason while it is tried again", async () => {
    await injectFault("unavailable", { message: "The engine is unavailable." });
    await visit(page, "/operator/needs-attention");
    await rent("unlucky", { instance_type: "gpu_1x_a10", name: "in-trouble" });
    const row = page.getByRole("row").filter({ hasText: "in-trouble" });
    await row.getByText("Retried").waitFor();
    await row.getByRole("link", { name: "unlucky" }).waitFor();
    await operate("DELETE", "/simulator/faults");
  });

  it("is found with its reason when it has failed for good", async () => {
    await injectFault("refuses", { message: "No such volume on the host." });
    await visit(page, "/operator/needs-attention");
    const id = await rent("unlucky", { instance_type: "gpu_1x_a10", name: "has-failed" });
    await expect.poll(() => read(`/instances/${id}`)).toMatchObject({ status: "terminated", ended_by: "failure" });
    const { failure } = (await read(`/instances/${id}`)) as { failure: { message: string } };
    const row = page
      .getByRole("table", { name: "Ended by a failure" })
      .getByRole("row")
      .filter({ hasText: "has-failed" });
    await row.getByText(failure.message).waitFor();
    await operate("DELETE", "/simulator/faults");
  });

  /** From now on, whenever a machine is to be made. */
  async function injectFault(kind: string, parameters: object): Promise<void> {
    await operate("POST", "/simulator/faults", { scope: "everything", kind, operation: "create", parameters });
  }
});

describe("emails that fail", () => {
  it("are found with the reason after some attempts", async () => {
    await visit(page, "/operator/needs-attention");
    await page.getByRole("table", { name: "Ended by a failure" }).waitFor();
    expect(await page.getByRole("heading", { name: "Emails that fail" }).count()).toBe(0);
    const { id } = (await read("/account")) as { id: string };
    await stand.db
      .insertInto("emails")
      .values({
        ...{
          id: randomUUID(),
          account_id: id,
          kind: "test",
          cause: "1",
          recipient: "ops@acme.example",
          subject: "A test",
        },
        ...{ body: "[]", status: "waiting", tries: 4, next_attempt_at: new Date(Date.now() + 3_600_000) },
        ...{ last_error: "deferred", last_response: "451 Later" },
      })
      .execute();
    await page.reload();
    const row = page.getByRole("table", { name: "Emails that fail" }).getByRole("row").filter({ hasText: "A test" });
    await row.getByText("could not accept the email at that time. 451 Later").waitFor();
  });
});

describe("engines", () => {
  it("tell how many hosts and machines they have, and how they are", async () => {
    await visit(page, "/operator/engines");
    const row = page.getByRole("row").filter({ hasText: "simulated" });
    await row.getByText("of 40").waitFor();
  });
});

describe("the audit log", () => {
  it("has what was done in the console, under the session's account", async () => {
    await visit(page, "/operator/coupons");
    await page.getByRole("button", { name: "New coupon" }).click();
    await page.getByRole("dialog").getByLabel("Code").fill("AUDITED");
    await page.getByRole("dialog").getByLabel("Discount in percent").fill("5");
    await page.getByRole("dialog").getByLabel("Expires (UTC)").fill("2099-10-31T23:59:59");
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "All audit entries" }).click();
    const entry = page.getByRole("row").filter({ hasText: "AUDITED" });
    await entry.getByText("Put coupon").waitFor();
    await entry.getByText("Done").waitFor();
    await entry.getByRole("link", { name: "operator" }).waitFor();
  });
});
