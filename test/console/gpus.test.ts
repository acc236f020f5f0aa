// What an operator does with single GPUs, in the console: quarantines one, has it reset or validated, and releases one as
// it is.

import { sql } from "kysely";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { putSimulatedPartitions } from "../../src/engines/simulated/database.ts";
import { readAgain } from "../../src/rental/gpus/partitions/fabrics.ts";
import { afterFile } from "../support/when-over.ts";
import { visit } from "./support/browser.ts";
import { requestsTo } from "./support/requests.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
const name = "us-west-1-l40s-01";
const address = "0000:10:00.0";
const other = "0000:11:00.0";
let stand: Stand;
let page: Page;
const { read, operate } = requestsTo(() => stand);
beforeAll(async () => {
  stand = await startStand(whenOver);
  page = await stand.signedIn("/", stand.operatorToken, whenOver);
  await visit(page, `/operator/fleet?host=${name}`);
});

interface ListedGpu {
  readonly address: string;
  readonly state: string;
  readonly reason: string | null;
  readonly last_validation: { readonly verdict: string } | null;
}

const drawer = () => page.getByRole("dialog", { name, exact: true });
const row = () => drawer().getByRole("row", { name: new RegExp(address) });
const state = async () => {
  const gpus = (await read(`/gpus?host=${name}`)) as ListedGpu[];
  return gpus.find((gpu) => gpu.address === address);
};

async function choose(action: string): Promise<void> {
  await row()
    .getByRole("button", { name: `Actions for GPU ${address}` })
    .click();
  await page.getByRole("menuitem", { name: action }).click();
}

async function quarantine(reason: string): Promise<void> {
  await choose("Quarantine");
  const dialog = page.getByRole("dialog", { name: `Quarantine GPU ${address}` });
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button", { name: "Quarantine" }).click();
  await row().getByText("Quarantined").waitFor();
}

describe("a GPU of a host", () => {
  it("is quarantined with a reason, which the legend and the host show", async () => {
    await quarantine("XID 79");
    await row()
      .getByText(/^XID 79, by /)
      .waitFor();
    expect(await state()).toMatchObject({ state: "quarantined", reason: "XID 79" });
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Quarantined\s*1$/ }).click();
    await page.getByRole("button", { name: /l40s-01.*1 quarantined/ }).click();
    await drawer().waitFor();
  });

  it("is listed under Needs attention and in the events of GPUs, with who decided it", async () => {
    const { name: account } = (await read("/account")) as { name: string };
    await visit(page, "/operator/needs-attention");
    const listed = page
      .getByRole("table", { name: "Quarantined GPUs" })
      .getByRole("row", { name: new RegExp(address) });
    await listed.getByText(`XID 79, by ${account}`).waitFor();
    await visit(page, "/events");
    await page.getByRole("combobox", { name: "Event filter" }).click();
    await page.getByRole("option", { name: "GPUs" }).click();
    const event = page.getByRole("table", { name: "Events" }).getByRole("row", { name: /GPU quarantined/ });
    await event.getByText(`XID 79, by ${account}`).waitFor();
    await event.getByText(`${name} ${address}`).waitFor();
  });

  it("shows what a customer reported while the instance still has it", async () => {
    await sql`update gpus set quarantine_next = 'reported', evidence = 'Instance 7: it hangs'
      where host = ${name} and address = ${other}`.execute(stand.db);
    await visit(page, `/operator/fleet?host=${name}`);
    await page.reload();
    const reported = drawer().getByRole("row", { name: new RegExp(other) });
    await reported.getByText("When its instance has ended: reported").waitFor();
    await reported.getByText("Found: Instance 7: it hangs").waitFor();
    await sql`update gpus set quarantine_next = null, evidence = null where host = ${name}`.execute(stand.db);
  });

  it("is reset again, and then free", async () => {
    await visit(page, `/operator/fleet?host=${name}`);
    await choose("Retest");
    await expect.poll(async () => (await state())?.state).toBe("free");
    // Its event may be late, while other tests have transactions open on the database server.
    await page.reload();
    await row().getByText("Free").waitFor();
  });

  it("is released as it is, once what it is quarantined for is confirmed", async () => {
    await quarantine("Seen in a log");
    await choose("Release");
    const dialog = page.getByRole("dialog", { name: `Release GPU ${address}?` });
    await dialog.getByText(/^Quarantined: Seen in a log, by /).waitFor();
    expect(await state()).toMatchObject({ state: "quarantined" });
    await dialog.getByRole("button", { name: "Release" }).click();
    await row().getByText("Free").waitFor();
    expect(await state()).toMatchObject({ state: "free", reason: null });
  });

  it("is not validated without a policy, which a notification says", async () => {
    await choose("Validate");
    await page.getByRole("alert").getByText("Not validated").waitFor();
    expect(await row().getByRole("alert").count()).toBe(0);
  });

  it("is validated on demand, and shows the verdict", async () => {
    const [{ model } = { model: "" }] = (await read(`/gpus?host=${name}`)) as { model: string }[];
    await operate("PUT", `/gpu-policies/${model}`, { handover: "none", validation: { image: "gpu-validation" } });
    await choose("Validate");
    await expect.poll(async () => (await state())?.last_validation?.verdict).toBe("passed");
    await page.reload();
    await row().getByText("Validation passed").waitFor();
    await row().getByText("Free").waitFor();
  });

  it("is in NVSwitch partitions, which the host shows with their state", async () => {
    await putSimulatedPartitions(stand.db, name);
    await readAgain(stand.db, [name]);
    await stand.reconciler.idle();
    await page.reload();
    await drawer()
      .getByText(/^NVSwitch partitions: 0 of \d+ active, fabric manager 570/)
      .click();
    const partitions = drawer().getByRole("table", { name: `NVSwitch partitions of ${name}` });
    await partitions.getByRole("row", { name: new RegExp(`1 .*${address}.* Inactive`) }).waitFor();
  });
});
