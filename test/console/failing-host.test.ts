// An operator's day with a failing host, from start to finish, in two browsers: the operator's and the customer's. The host
// fails, is fenced and declared lost, returns and is cleaned; then another host is emptied for its repair by moving, and
// a third one has maintenance. What else there is on these pages: operators-hosts.test.ts and maintenance.test.ts.

import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { runWindows } from "../../src/rental/maintenance/run.ts";
import { emptyHosts } from "../../src/rental/moving/empty-hosts.ts";
import { travel } from "../support/time-travel.ts";
import { afterFile } from "../support/when-over.ts";
import { visit } from "./support/browser.ts";
import { requestsTo } from "./support/requests.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
let operator: Page;
let customer: Page;
const { read, operate, rentUp } = requestsTo(() => stand);

beforeAll(async () => {
  const fencing = [
    { hosts: undefined, command: ["true", "{host}"] as const, timeoutSeconds: 30, offOutput: undefined },
  ];
  stand = await startStand(whenOver, { config: { fencing } });
  operator = await stand.signedIn("/", stand.operatorToken, whenOver);
  customer = await stand.signedIn("/instances", await stand.customerToken("renter"), whenOver);
});

interface Rented {
  readonly id: string;
  readonly host: string;
  readonly name: string;
}

/** The customer rents one more, and opens its page. */
async function rented(name: string): Promise<Rented> {
  await rentUp("renter", { instance_type: "gpu_1x_l40s", region: "us-west-1", name });
  const all = (await read("/instances")) as Rented[];
  const one = all.find((instance) => instance.name === name);
  if (one === undefined) throw new Error(`BUG: ${name} was not launched`);
  await visit(customer, `/instances/${one.id}`);
  await customer.getByRole("heading", { level: 1, name }).waitFor();
  return one;
}

async function openHost(name: string) {
  await visit(operator, `/operator/fleet?host=${name}`);
  return operator.getByRole("dialog", { name, exact: true });
}

/** It fails: the operator finds it among what needs attention, and the customer reads that it is not theirs to mend. */
async function fails({ host }: Rented): Promise<void> {
  await operate("POST", `/simulator/hosts/${host}/fail`);
  await stand.reconciler.sweepNow();
  await visit(operator, "/operator/needs-attention");
  const listed = operator.getByRole("table", { name: "Unreachable hosts" }).getByRole("row", { name: host });
  await listed.getByRole("link", { name: host }).click();
  await operator.getByRole("dialog", { name: host, exact: true }).getByText("Unreachable", { exact: true }).waitFor();
  await customer.getByText(/^Its host does not respond\./).waitFor();
  expect(await customer.getByText(host).count()).toBe(0);
}

async function isFencedAndDeclaredLost({ host: name, name: instance }: Rented): Promise<void> {
  const host = operator.getByRole("dialog", { name, exact: true });
  await host.getByRole("button", { name: "Fence" }).click();
  const fence = operator.getByRole("dialog", { name: `Fence ${name}?`, exact: true });
  await fence.getByRole("button", { name: "Fence" }).click();
  await host.getByText(/Verified off since/).waitFor();
  await host.getByRole("button", { name: "Declare lost" }).click();
  const reason = operator.getByRole("dialog", { name: `Declare ${name} lost`, exact: true });
  await reason.getByLabel("Reason").fill("Burnt power supply");
  await reason.getByRole("button", { name: "Continue" }).click();
  const question = operator.getByRole("dialog", { name: `Declare ${name} lost?`, exact: true });
  await question.getByText("Ends: 1 instance,").waitFor();
  await question.getByText(instance).waitFor();
  await question.getByLabel(/to confirm/).fill(name);
  await question.getByRole("button", { name: "Declare lost" }).click();
  await host.getByText("Lost", { exact: true }).waitFor();
}

/** Its instance ended, and 20 minutes without the host are not on the bill. */
async function isPaidForNoLonger({ id }: Rented): Promise<void> {
  await customer.getByText(/^Its host failed and was declared lost\./).waitFor();
  expect(await read(`/instances/${id}`)).toMatchObject({ status: "terminated", ended_by: "host-lost" });
  const lines = (await read(`/usage?instance_id=${id}`)) as { seconds: number }[];
  expect(lines).toHaveLength(1);
  expect(lines[0]?.seconds).toBeLessThan(10 * 60);
}

async function returnsAndIsCleaned({ host: name }: Rented): Promise<void> {
  await operate("POST", `/simulator/hosts/${name}/revive`);
  for (const _ of ["removes what is left", "finds nothing"]) await stand.reconciler.sweepNow();
  const host = await openHost(name);
  await host.getByText("Cordoned", { exact: true }).waitFor();
  await host.getByText(/It was lost and has returned\. Nothing of ended rentals is left on it/).waitFor();
  await host.getByRole("button", { name: "Uncordon" }).click();
  await host.getByText("Up", { exact: true }).waitFor();
}

/** Stopped by its customer, the instance leaves the host that is drained, and starts on another. */
async function isEmptiedByMoving({ host: name, id }: Rented): Promise<void> {
  const host = await openHost(name);
  await host.getByLabel("Reason").fill("Fans are exchanged");
  await host.getByLabel("When draining, move stopped instances").check();
  await host.getByRole("button", { name: "Drain" }).click();
  await host.getByText(/Fans are exchanged\. 1 instance left on it/).waitFor();
  await customer.getByRole("button", { name: "Stop" }).first().click();
  await customer.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
  await customer.getByRole("button", { name: "Restart" }).first().waitFor();
  await emptyHosts(stand.db, new Set(["simulated"]), new AbortController().signal);
  await expect.poll(() => read(`/instances/${id}`), { timeout: 60_000 }).toMatchObject({ move: { phase: "moved" } });
  await customer.getByText("Instance moved").waitFor();
  await customer.getByRole("button", { name: "Restart" }).first().click();
  await expect.poll(() => read(`/instances/${id}`)).toMatchObject({ status: "active", move: null });
  await host.getByText(/0 instances left on it/).waitFor();
  await host.getByRole("button", { name: "Uncordon" }).click();
  await host.getByText("Up", { exact: true }).waitFor();
}

/** The value of a datetime-local input, so many hours ahead. */
const ahead = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19);

async function hasMaintenance({ id, name: instance }: Rented): Promise<void> {
  const { host: name } = (await read(`/instances/${id}`)) as Rented;
  const host = await openHost(name);
  await host.getByRole("link", { name: "Schedule maintenance" }).click();
  const dialog = operator.getByRole("dialog", { name: "Schedule maintenance" });
  await dialog.getByLabel("Reason").fill("New firmware");
  await dialog.getByLabel("Begins (UTC)").fill(ahead(0));
  await dialog.getByLabel("Ends (UTC)").fill(ahead(2));
  await dialog.getByRole("button", { name: "Schedule" }).click();
  const row = operator.getByRole("row", { name: new RegExp(name) });
  await row.getByText("Scheduled").waitFor();
  await customer.getByRole("status").filter({ hasText: "Maintenance: New firmware" }).waitFor();
  await runWindows(stand.db, { isBilled: false });
  await row.getByText("In progress").waitFor();
  await customer.getByText(`Stopped until then: ${instance}.`).waitFor();
  await expect.poll(() => read(`/instances/${id}`)).toMatchObject({ status: "stopped" });
  await row.getByRole("button", { name: "End maintenance" }).click();
  await operator.getByRole("dialog").getByRole("button", { name: "End now" }).click();
  await row.waitFor({ state: "detached" });
  await runWindows(stand.db, { isBilled: false });
  await expect.poll(() => read(`/instances/${id}`)).toMatchObject({ status: "active", maintenance: null });
  expect(await read(`/hosts/${name}`)).toMatchObject({ state: "up", instances: 1 });
}

it("is a day in which a host fails and comes back, one is emptied for its repair, and one has maintenance", async () => {
  const lost = await rented("on-a-failing-host");
  await fails(lost);
  await travel(stand.db, "20 minutes");
  await isFencedAndDeclaredLost(lost);
  await isPaidForNoLonger(lost);
  await returnsAndIsCleaned(lost);
  const moved = await rented("on-a-drained-host");
  await isEmptiedByMoving(moved);
  await hasMaintenance(moved);
});
