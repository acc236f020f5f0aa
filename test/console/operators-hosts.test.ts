// What an operator does with hosts, in the console: looks at the fleet, cordons, drains and describes a host, sees one fail,
// registers and deletes one, and overrides one that its engine discovered. All in one page.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { inTransaction } from "../../src/database/transaction.ts";
import { removeHost, upsertHost } from "../../src/rental/capacity/host-store.ts";
import { afterFile } from "../support/when-over.ts";
import { visit } from "./support/browser.ts";
import { requestsTo } from "./support/requests.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
let page: Page;
const { read, operate, rent, rentUp } = requestsTo(() => stand);
beforeAll(async () => {
  const fencing = [
    { hosts: undefined, command: ["true", "{host}"] as const, timeoutSeconds: 30, offOutput: undefined },
  ];
  stand = await startStand(whenOver, { config: { fencing } });
  page = await stand.signedIn("/", stand.operatorToken, whenOver);
});

describe("the fleet", () => {
  it("is where an operator lands after signing in, and a customer lands on their instances", async () => {
    const operator = await stand.signedIn("/", stand.operatorToken);
    await operator.getByRole("heading", { level: 1, name: "Fleet" }).waitFor();
    expect(new URL(operator.url()).pathname).toBe("/operator/fleet");
    const customer = await stand.signedIn("/");
    await customer.waitForURL("**/instances");
  });

  it("shows what is rented, opens a host from the keyboard, and cordons it", async () => {
    await rentUp("renter", { instance_type: "gpu_1x_a10", region: "europe-central-1", name: "on-the-map" });
    await visit(page, "/operator/fleet");
    const tile = page
      .getByRole("button", { name: /a10-01.*1 rented/ })
      .or(page.getByRole("button", { name: /a10-02.*1 rented/ }));
    await tile.first().focus();
    await page.keyboard.press("Enter");
    const host = page.getByRole("dialog");
    await host.getByRole("link", { name: "on-the-map" }).waitFor();
    await host.getByRole("button", { name: "Cordon" }).click();
    await host.getByRole("button", { name: "Uncordon" }).waitFor();
    await host.getByText("Cordoned", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /a10-0\d cordoned.*1 rented/ }).waitFor();
    const hosts = (await read("/hosts")) as { cordoned: boolean; name: string }[];
    expect(hosts.filter(({ cordoned }) => cordoned)).toHaveLength(1);
  });

  it("drains a host with a reason, and keeps a note and labels, by which it is found", async () => {
    await visit(page, "/operator/fleet?host=us-west-1-l40s-01");
    const host = page.getByRole("dialog", { name: "us-west-1-l40s-01" });
    await host.getByLabel("Reason").fill("PSU 2 is exchanged");
    await host.getByRole("button", { name: "Drain" }).click();
    await host.getByText("Draining", { exact: true }).waitFor();
    await host.getByText(/PSU 2 is exchanged\. 0 instances left on it/).waitFor();
    await host.getByRole("button", { name: "Note and labels" }).click();
    const dialog = page.getByRole("dialog", { name: "Note and labels of us-west-1-l40s-01" });
    await dialog.getByLabel("Note", { exact: true }).fill("Ticket 4711");
    await dialog.getByRole("button", { name: "Add label" }).click();
    await dialog.getByLabel("Key of label 1").fill("rack");
    await dialog.getByLabel("Value of label 1").fill("r12");
    await dialog.getByRole("button", { name: "Save" }).click();
    await host.getByText("Ticket 4711").waitFor();
    await host.getByText("rack=r12").waitFor();
    expect(await read("/hosts?selector=rack%3Dr12")).toMatchObject([
      { name: "us-west-1-l40s-01", state: "draining", state_reason: "PSU 2 is exchanged", note: "Ticket 4711" },
    ]);
    await host.getByRole("button", { name: "Uncordon" }).click();
    await host.getByText("Up", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Find hosts").fill("rack=r12");
    await page.getByText("1 of 40 hosts").waitFor();
    await page.getByLabel("Find hosts").clear();
  });

  it("drains a host by moving, and decides otherwise", async () => {
    const name = "us-west-1-l40s-02";
    await visit(page, `/operator/fleet?host=${name}`);
    const host = page.getByRole("dialog", { name });
    await host.getByLabel("When draining, move stopped instances").check();
    await host.getByRole("button", { name: "Drain" }).click();
    await host.getByText(/While it drains, stopped instances are moved/).waitFor();
    expect(await read(`/hosts/${name}`)).toMatchObject({ mode: "draining", drain_mode: "move" });
    await host.getByLabel("When draining, move stopped instances").uncheck();
    await host.getByRole("button", { name: "Drain" }).click();
    await host.getByText(/While it drains, its instances stay/).waitFor();
    await host.getByRole("button", { name: "Uncordon" }).click();
    await host.getByText("Up", { exact: true }).waitFor();
    expect(await read(`/hosts/${name}`)).toMatchObject({ mode: "up", drain_mode: null });
    await page.keyboard.press("Escape");
  });

  it("shows a host that fails, and one that is back", async () => {
    await visit(page, "/operator/fleet?host=us-west-1-l40s-02");
    const host = page.getByRole("dialog", { name: "us-west-1-l40s-02" });
    await host.getByText("Up", { exact: true }).waitFor();
    await operate("POST", "/simulator/hosts/us-west-1-l40s-02/fail");
    await stand.reconciler.sweepNow();
    await host.getByText("Unreachable", { exact: true }).waitFor();
    await operate("POST", "/simulator/hosts/us-west-1-l40s-02/revive");
    await stand.reconciler.sweepNow();
    await host.getByText("Up", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("cordons, labels and uncordons all hosts of a label at once, after one confirmation that says how many", async () => {
    const names = ["us-west-1-l40s-01", "us-west-1-l40s-02"];
    for (const name of names) await operate("PATCH", `/hosts/${name}`, { labels: { rack: "bulk" } });
    await visit(page, "/operator/fleet");
    // Of new labels no event tells.
    await page.reload();
    const all = page.getByRole("region", { name: "All shown hosts" });
    expect(await all.count()).toBe(0);
    await page
      .getByRole("combobox", { name: "Label" })
      .or(page.getByLabel("Label", { exact: true }))
      .first()
      .click();
    await page.getByRole("option", { name: "rack=bulk" }).click();
    await all.getByText("2 hosts shown:").waitFor();
    await all.getByRole("button", { name: "Cordon all", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Cordon 2 hosts?" });
    await question.getByText(names.join(", ")).waitFor();
    await question.getByLabel("Reason").fill("Switch is exchanged");
    await question.getByRole("button", { name: "Cordon", exact: true }).click();
    await question.waitFor({ state: "detached" });
    const ofRack = async () =>
      ((await read("/hosts?selector=rack%3Dbulk")) as { mode: string; state_reason: string; note: string }[]).map(
        ({ mode, state_reason: reason, note }) => [mode, reason, note],
      );
    expect((await ofRack()).map(([mode, why]) => [mode, why])).toEqual(
      names.map(() => ["cordoned", "Switch is exchanged"]),
    );
    await all.getByRole("button", { name: "Note and label all" }).click();
    const form = page.getByRole("dialog", { name: "Note and labels of 2 hosts" });
    await form.getByLabel("Note", { exact: true }).fill("Ticket 4712");
    await form.getByRole("button", { name: "Change 2 hosts" }).click();
    await form.waitFor({ state: "detached" });
    await all.getByRole("button", { name: "Uncordon all" }).click();
    await page.getByRole("dialog", { name: "Uncordon 2 hosts?" }).getByRole("button", { name: "Uncordon" }).click();
    await expect.poll(ofRack).toEqual(names.map(() => ["up", null, "Ticket 4712"]));
    await page.getByLabel("Any label").click();
    await all.waitFor({ state: "detached" });
  });

  it("shows what is wrong with a host, with what to do, there and among what needs attention", async () => {
    const name = "us-west-1-l40s-02";
    const parameters = {
      code: "disk-space-low",
      severity: "critical",
      message: "The pool default has 2 % free of 1 GB.",
    };
    const body = { scope: "host", target: name, kind: "reports-finding", parameters };
    await operate("POST", "/simulator/faults", body);
    await stand.reconciler.sweepNow();
    await visit(page, `/operator/fleet?host=${name}`);
    const health = page.getByRole("dialog", { name, exact: true }).getByRole("region", { name: "Health" });
    await health.getByText("Critical", { exact: true }).waitFor();
    await health.getByText("The pool default has 2 % free of 1 GB.").waitFor();
    await health.getByText(/^Free space in the pool/).waitFor();
    await health.getByText(/% of the last 30 days/).waitFor();
    await visit(page, "/operator/needs-attention");
    await page
      .getByRole("row", { name: /2 % free/ })
      .getByRole("link", { name })
      .waitFor();
    await operate("DELETE", "/simulator/faults");
    await stand.reconciler.sweepNow();
    await page.getByText("No critical findings").waitFor();
  });

  it("declares a host lost that fails, after showing what ends, and sees it return clean", async () => {
    await rentUp("renter", { instance_type: "gpu_1x_l40s", region: "us-west-1", name: "ends-with-its-host" });
    const rented = (await read("/instances")) as { id: string; host: string; name: string }[];
    const { id, host: on } = rented.find((one) => one.name === "ends-with-its-host") ?? { id: "", host: "" };
    await visit(page, `/operator/fleet?host=${on}`);
    const host = page.getByRole("dialog", { name: on, exact: true });
    await host.getByText("Up", { exact: true }).waitFor();
    expect(await host.getByRole("button", { name: "Declare lost" }).count()).toBe(0);
    await operate("POST", `/simulator/hosts/${on}/fail`);
    await stand.reconciler.sweepNow();
    await host.getByRole("button", { name: "Fence" }).click();
    const fence = page.getByRole("dialog", { name: `Fence ${on}?`, exact: true });
    await fence.getByRole("button", { name: "Fence" }).click();
    await fence.waitFor({ state: "detached" });
    await host.getByText(/Verified off since/).waitFor();
    await host.getByRole("button", { name: "Declare lost" }).click();
    const reason = page.getByRole("dialog", { name: `Declare ${on} lost`, exact: true });
    await reason.getByRole("button", { name: "Continue" }).click();
    await reason.getByText("Give a reason.").waitFor();
    await reason.getByLabel("Reason").fill("Burnt power supply");
    await reason.getByRole("button", { name: "Continue" }).click();
    const question = page.getByRole("dialog", { name: `Declare ${on} lost?`, exact: true });
    await question.getByText("Ends: 1 instance,").waitFor();
    await question.getByText("ends-with-its-host").waitFor();
    await question.getByLabel(/to confirm/).fill(on);
    await question.getByRole("button", { name: "Declare lost" }).click();
    await host.getByText("Lost", { exact: true }).waitFor();
    expect(await read(`/instances/${id}`)).toMatchObject({ status: "terminated", ended_by: "host-lost" });
    await visit(page, "/operator/needs-attention");
    await page
      .getByRole("row", { name: /ends-with-its-host/ })
      .getByText(/declared lost/)
      .waitFor();

    await operate("POST", `/simulator/hosts/${on}/revive`);
    for (const _ of ["removes what is left", "finds nothing"]) await stand.reconciler.sweepNow();
    await visit(page, `/operator/fleet?host=${on}`);
    await host.getByText("Cordoned", { exact: true }).waitFor();
    await host.getByText(/It was lost and has returned/).waitFor();
    await host.getByRole("button", { name: "Uncordon" }).click();
    await host.getByText("Up", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("goes from tile to tile with the arrow keys, over the borders of regions", async () => {
    await visit(page, "/operator/fleet");
    await page.locator("[data-tile]").first().focus();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("title"));
    const first = await focused();
    await page.keyboard.press("ArrowRight");
    expect(await focused()).not.toBe(first);
    await page.keyboard.press("ArrowLeft");
    expect(await focused()).toBe(first);
    await page.keyboard.press("End");
    expect(await focused()).toMatch(/^us-west-1/);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Home");
    expect(await focused()).toBe(first);
  });
});

describe("a host of the simulated engine", () => {
  it("is declared with its GPUs, changed, and deleted when its name is typed", async () => {
    await visit(page, "/operator/fleet");
    await page.getByRole("button", { name: "New host" }).click();
    const form = page.getByRole("dialog", { name: "New host" });
    await form.getByLabel("Name").fill("us-east-1-l4-01");
    await form.getByRole("combobox", { name: "Region" }).click();
    await page.getByRole("option", { name: "us-east-1" }).click();
    await form.getByLabel("vCPUs").fill("96");
    await form.getByLabel("Memory in GiB").fill("384");
    await form.getByRole("button", { name: "Add GPUs" }).click();
    await form.getByLabel("Model").fill("l4");
    await form.getByLabel("Count").fill("3");
    await form.getByRole("button", { name: "Create" }).click();
    // The storage and the memory of the GPUs are missing.
    for (const name of ["Storage in GB", "GiB each"])
      await expect.poll(() => form.getByLabel(name).getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("Storage in GB").fill("4000");
    await form.getByLabel("GiB each").fill("24");
    await form.getByRole("button", { name: "Create" }).click();

    const host = page.getByRole("dialog", { name: "us-east-1-l4-01", exact: true });
    await host.getByText("96 of 96 free").waitFor();
    await host.getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("dialog", { name: "Edit us-east-1-l4-01" });
    await edit.getByLabel("Count").fill("2");
    await edit.getByLabel("vCPUs").fill("64");
    await edit.getByRole("button", { name: "Save" }).click();
    await host.getByText("64 of 64 free").waitFor();
    const l4 = { model: "l4", memory_gib: 24, healthy: true, held_by: null };
    expect(await read("/hosts/us-east-1-l4-01")).toMatchObject({
      engine: "simulated",
      region: "us-east-1",
      vcpus: 64,
      memory_gib: 384,
      storage_gb: 4000,
      gpus: [
        { ...l4, address: "0000:10:00.0", numa_node: 0 },
        { ...l4, address: "0000:11:00.0", numa_node: 0 },
      ],
    });

    await host.getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", { name: "Delete us-east-1-l4-01?" });
    expect(await question.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
    await question.getByRole("textbox").fill("us-east-1-l4-01");
    await question.getByRole("button", { name: "Delete" }).click();
    await host.waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("");
    expect(((await read("/hosts")) as { name: string }[]).map(({ name }) => name)).not.toContain("us-east-1-l4-01");
  });

  it("is not replaced by a new one of its name", async () => {
    await visit(page, "/operator/fleet");
    await page.getByRole("button", { name: "New host" }).click();
    const form = page.getByRole("dialog", { name: "New host" });
    await form.getByLabel("Name").fill("us-east-1-cpu-01");
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("A host with this name exists.").waitFor();
  });

  it("stays while it has a machine, and the refusal stands where it was asked for", async () => {
    const id = await rent("renter", { instance_type: "gpu_1x_a6000", region: "us-west-1", name: "in-the-way" });
    await expect.poll(() => read(`/instances/${id}`)).toMatchObject({ status: "active" });
    const { host: name } = (await read(`/instances/${id}`)) as { host: string };
    await visit(page, `/operator/fleet?host=${name}`);
    const drawer = page.getByRole("dialog", { name, exact: true });
    await drawer.getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", { name: `Delete ${name}?` });
    await question.getByRole("textbox").fill(name);
    await question.getByRole("button", { name: "Delete" }).click();
    await question.getByText(`Host ${name} holds 1 instance.`).waitFor();
    // The key closes the question alone, and gives the focus back to where it was asked.
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toBe("Delete");
    await drawer.getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("dialog", { name: `Edit ${name}` });
    await edit.getByLabel("vCPUs").fill("1");
    await edit.getByRole("button", { name: "Save" }).click();
    await edit.getByText(`Instances use host ${name}, so the resources they use cannot be removed.`).waitFor();
    expect(await read(`/hosts/${name}`)).toMatchObject({ vcpus: 120 });
    await edit.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(focused).toBe("Edit");
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
  });
});

describe("a host that its engine discovered", () => {
  it("is counted as less and its GPUs by another name, until the override is ended", async () => {
    const found = { address: "0000:41:00.0", model: "10de:2331", memoryGib: 80, numaNode: 0, healthy: true };
    const facts = {
      name: "found-1",
      engine: "cluster-a",
      region: "us-east-1",
      available: true,
      sharedStorage: false,
      multiAttach: false,
    };
    await inTransaction(stand.db, (tx) =>
      upsertHost(tx, { ...facts, vcpus: 64, memoryGib: 512, storageGb: 2000, gpus: [found] }),
    );
    // No event tells of a host that was written past the service.
    await page.goto(`${stand.url}/operator/fleet?host=found-1`);
    const host = page.getByRole("dialog", { name: "found-1", exact: true });
    await host.getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("dialog", { name: "Edit found-1" });
    expect(await edit.getByLabel("Count").isDisabled()).toBe(true);
    await edit.getByLabel("vCPUs").fill("60");
    await edit.getByLabel("Model").fill(" h100");
    await edit.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => edit.getByLabel("Model").getAttribute("aria-invalid")).toBe("true");
    await edit.getByLabel("Model").fill("h100_pcie");
    await edit.getByRole("button", { name: "Save" }).click();
    await host.getByText("60 of 60 free").waitFor();
    expect(await read("/hosts/found-1")).toMatchObject({
      gpus: [{ model: "h100_pcie", memory_gib: 80 }],
      overridden: { vcpus: 60, memory_gib: 512, gpus: [{ model: "h100_pcie", memory_gib: 0 }] },
    });
    await host.getByRole("button", { name: "Remove override" }).click();
    await page
      .getByRole("dialog", { name: /^Remove the override/ })
      .getByRole("button", { name: "Remove override" })
      .click();
    await host.getByText("64 of 64 free").waitFor();
    await host.getByRole("button", { name: "Delete" }).click();
    await page.getByText("it reappears with the next sync").waitFor();
    await inTransaction(stand.db, (tx) => removeHost(tx, "found-1"));
  });
});
