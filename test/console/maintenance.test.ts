// Maintenance of hosts in the console: an operator schedules, changes and ends it; the customer sees it and defers it.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { runWindows } from "../../src/rental/maintenance/run.ts";
import { afterFile } from "../support/when-over.ts";
import { visit } from "./support/browser.ts";
import { requestsTo } from "./support/requests.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
let operator: Page;
let customer: Page;
let host: string;
let id: string;
const { read, operate, rentUp } = requestsTo(() => stand);

beforeAll(async () => {
  stand = await startStand(whenOver);
  operator = await stand.signedIn("/", stand.operatorToken, whenOver);
  customer = await stand.signedIn("/instances", await stand.customerToken("renter"), whenOver);
});

/** The value of a datetime-local input, so many hours ahead. */
const ahead = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19);
const row = () => operator.getByRole("row", { name: new RegExp(host) });

describe("maintenance", () => {
  it("is scheduled from the fleet, and lets the customer know", async () => {
    await rentUp("renter", { instance_type: "gpu_1x_l40s", region: "us-west-1", name: "on-a-maintained-host" });
    const instances = (await read("/instances")) as { id: string; host: string; name: string }[];
    ({ id, host } = instances.find(({ name }) => name === "on-a-maintained-host") ?? { id: "", host: "" });
    await visit(operator, `/operator/fleet?host=${host}`);
    await operator.getByRole("dialog", { name: host }).getByRole("link", { name: "Schedule maintenance" }).click();
    const dialog = operator.getByRole("dialog", { name: "Schedule maintenance" });
    await dialog.getByRole("button", { name: "Schedule" }).click();
    await dialog.getByText("Give a reason.").waitFor();
    await dialog.getByLabel("Reason").fill("New firmware");
    await dialog.getByLabel("Begins (UTC)").fill(ahead(2));
    await dialog.getByLabel("Ends (UTC)").fill(ahead(1));
    await dialog.getByRole("button", { name: "Schedule" }).click();
    await dialog.getByText("Must be after `from`.").waitFor();
    await dialog.getByLabel("Ends (UTC)").fill(ahead(4));
    await dialog.getByLabel("Customers can defer it until").fill(ahead(24));
    await dialog.getByRole("button", { name: "Schedule" }).click();
    await row().getByText("Scheduled").waitFor();
    expect(await read(`/maintenance-windows?host=${host}`)).toMatchObject([
      { host, mode: "stop", reason: "New firmware", instance_ids: [id], phase: "scheduled" },
    ]);
    const note = customer.getByRole("status").filter({ hasText: "Maintenance: New firmware" });
    await note.getByText(/lasts 2 h 00 min\. Stops for that time: on-a-maintained-host\./).waitFor();
    expect(await customer.getByText(host).count()).toBe(0);
  });

  it("is deferred by the customer within the limit", async () => {
    await customer.getByRole("link", { name: "on-a-maintained-host" }).first().click();
    await customer.getByRole("heading", { level: 1, name: "on-a-maintained-host" }).waitFor();
    await customer.getByRole("button", { name: "Defer" }).click();
    const dialog = customer.getByRole("dialog", { name: "Defer maintenance" });
    const until = dialog.getByLabel("Begins (UTC)");
    await until.fill(ahead(30));
    await dialog.getByRole("button", { name: "Defer" }).click();
    await dialog.getByText(/Must be at the latest/).waitFor();
    await until.fill(ahead(10));
    await dialog.getByRole("button", { name: "Defer" }).click();
    await dialog.waitFor({ state: "hidden" });
    await row().getByText("deferred by renter").waitFor();
  });

  it("stops the instance when it begins, and says until when", async () => {
    const [window] = (await read(`/maintenance-windows?host=${host}`)) as { id: string }[];
    await operate("PATCH", `/maintenance-windows/${window?.id}`, { from: `${ahead(0)}Z`, to: `${ahead(2)}Z` });
    await runWindows(stand.db, { isBilled: false });
    await row().getByText("In progress").waitFor();
    await customer.getByText("Stopped until then: on-a-maintained-host.").waitFor();
    await expect.poll(() => read(`/instances/${id}`)).toMatchObject({ status: "stopped" });
    await customer.getByRole("button", { name: "Restart" }).first().click();
    await customer.getByText(/is in maintenance until/).waitFor();
  });

  it("is ended by the operator, and the instance starts again", async () => {
    await row().getByRole("button", { name: "End maintenance" }).click();
    await operator.getByRole("dialog").getByRole("button", { name: "End now" }).click();
    await row().waitFor({ state: "detached" });
    await operator.getByText("Past", { exact: true }).click();
    await row().getByText("Ended").waitFor();
    await runWindows(stand.db, { isBilled: false });
    await expect.poll(() => read(`/instances/${id}`)).toMatchObject({ status: "active", maintenance: null });
  });
});
