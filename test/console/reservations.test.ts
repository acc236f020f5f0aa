// Reservations in the console: a customer reserves capacity with its price before them, launches with it and cancels; the
// operator sees what is promised, to which account and where.

import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { visit } from "./support/browser.ts";
import { requestsTo } from "./support/requests.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
let page: Page;
const { read } = requestsTo(() => stand);
beforeAll(async () => {
  stand = await startStand(whenOver);
  page = await stand.signedIn("/reservations", await stand.customerToken("acme"), whenOver);
});

interface Reservation {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly used: number;
  readonly region: string;
  readonly hosts: readonly { readonly host: string }[];
}
const stored = async () => (await read("/reservations")) as readonly Reservation[];
const ahead = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16);
const dialog = () => page.getByRole("dialog", { name: "Reserve capacity" });
const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });

async function chooseType(within: Page | ReturnType<typeof dialog>): Promise<void> {
  const types = within.getByRole("combobox", { name: "Instance type" });
  await types.fill("A10");
  await page.getByRole("option", { name: /^1x A10 / }).click();
}

async function fill(from: number, to: number, name: string): Promise<void> {
  await visit(page, "/reservations");
  await page.getByRole("button", { name: "Reserve capacity" }).click();
  await chooseType(dialog());
  await dialog().getByLabel("Begins (UTC)").fill(ahead(from));
  await dialog().getByLabel("Ends (UTC)").fill(ahead(to));
  await dialog().getByLabel("Name").fill(name);
}

it("is made with its price before, is in the calendar, and is cancelled", async () => {
  await page.getByText("No reservations").waitFor();
  await fill(24, 48, "training-week");
  await dialog()
    .getByText(/used or not/)
    .waitFor();
  await dialog()
    .getByText(/You can cancel it, at no cost, until .+ \(UTC\), when it begins\./)
    .waitFor();
  await dialog().getByRole("button", { name: "Reserve" }).click();
  await dialog().waitFor({ state: "detached" });
  await row("training-week").getByText("Scheduled").waitFor();
  const [{ region } = { region: "" }] = await stored();
  const bars = page.getByRole("list", { name: `Reservations in ${region}` });
  await bars.getByText(/training-week, .+ \(UTC\)/).waitFor();
  await expect
    .poll(
      async () =>
        (await page
          .getByRole("list", { name: `Available in ${region}` })
          .getByRole("listitem")
          .count()) > 1,
    )
    .toBe(true);
  await page.getByRole("button", { name: "Cancel training-week" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel reservation" }).click();
  await row("training-week").getByText("Cancelled").waitFor();
  expect(await bars.count()).toBe(0);
  expect(await stored()).toMatchObject([{ state: "cancelled" }]);
});

it("says what is wrong with its times, and when all of it would fit", async () => {
  await fill(24, 23, "wrong");
  await dialog()
    .getByText(/Must be after/)
    .first()
    .waitFor();
  await dialog().getByRole("button", { name: "Reserve" }).click();
  await dialog().getByText("Must be after `from`.").first().waitFor();
  await dialog().getByLabel("Ends (UTC)").fill(ahead(30));
  await dialog().getByLabel("Quantity").fill("64");
  await dialog().getByText("Not enough capacity at that time").waitFor();
  await dialog().getByRole("button", { name: "Close" }).click();
  expect(await stored()).toHaveLength(1);
});

it("is used by launches from its row, and is paid for once", async () => {
  await fill(0, 20, "now");
  await dialog().getByLabel("Begins (UTC)").fill(new Date().toISOString().slice(0, 19));
  await dialog()
    .getByText(/used or not/)
    .waitFor();
  await dialog().getByRole("button", { name: "Reserve" }).click();
  await row("now").getByText("Active").waitFor();
  await page.getByRole("link", { name: "Launch with now" }).click();
  await page.getByText("The reservation now pays for these instances").waitFor();
  await page.getByText("Paid for by the reservation").waitFor();
  await page.getByRole("button", { name: "Launch instance" }).click();
  await page.waitForURL(/\/instances\/./);
  await page.getByText("now", { exact: true }).first().waitFor();
  const made = (await stored()).find(({ name }) => name === "now");
  expect(made).toMatchObject({ used: 1, state: "active" });
  await visit(page, "/reservations");
  await row("now").getByText("1 of 1").waitFor();
  expect(await page.getByRole("link", { name: "Launch with now" }).count()).toBe(0);
});

it("is seen by operators with its account and hosts, and not by other customers", async () => {
  const operator = await stand.signedIn("/operator/reservations", stand.operatorToken);
  const [host] = (await stored()).find(({ name }) => name === "now")?.hosts ?? [];
  const seen = operator.getByRole("row", { name: /now/ });
  await seen.getByText("acme").waitFor();
  await seen.getByText(host?.host ?? "").waitFor();
  await operator
    .getByText(/1 × acme, .+ \(UTC\)/)
    .first()
    .waitFor();
  const other = await stand.signedIn("/reservations", await stand.customerToken("other"));
  await other.getByText("No reservations").waitFor();
  const reader = await stand.signedIn("/reservations", await stand.customerToken("acme", ["read"]));
  await reader.getByRole("row", { name: /now/ }).waitFor();
  expect(await reader.getByRole("button", { name: /Reserve capacity|Cancel/ }).count()).toBe(0);
});
