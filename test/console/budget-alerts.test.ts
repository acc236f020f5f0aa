// Budget alerts in the console: created, reached and deleted on the page of usage, by those alone whose role may.

import { sql } from "kysely";
import { beforeAll, expect, it } from "vitest";
import { checkBudgets } from "../../src/rental/limits/budget-alerts.ts";
import { afterFile } from "../support/when-over.ts";
import { expectUsable, peopleOf, row } from "./support/people.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});
const { call, person } = peopleOf(() => stand);

it("they are created once for an amount, say when they are reached, and are deleted", async () => {
  const { token, accountId } = await person("budgeting", "billing", "Bo");
  const page = await stand.signedIn("/usage", token);
  await page.getByText("No budget alerts").waitFor();
  const dialog = page.getByRole("dialog", { name: "New budget alert" });
  const create = async (amount: string) => {
    await page.getByRole("button", { name: "New budget alert" }).click();
    await dialog.getByLabel("Amount").fill(amount);
    await dialog.getByRole("button", { name: "Create alert" }).click();
  };
  await create("400");
  await row(page, "$400.00").getByText("Not reached").waitFor();
  await create("0");
  await dialog.getByText("Enter an amount.").waitFor();
  await dialog.getByLabel("Amount").fill("400");
  await dialog.getByRole("button", { name: "Create alert" }).click();
  const input = dialog.getByLabel("Amount");
  await dialog.getByText("Your account has a budget alert of this amount.").waitFor();
  expect(await input.getAttribute("aria-invalid")).toBe("true");
  await expectUsable(page);
  await input.fill("2.50");
  await dialog.getByRole("button", { name: "Create alert" }).click();
  await row(page, "$2.50").waitFor();
  await dialog.waitFor({ state: "detached" });

  const { token: renter } = await person("budgeting", "member", "Max");
  await call(renter, "POST", "/instances", { instance_type: "cpu_8x_general" });
  await stand.reconciler.idle();
  await sql`update billing_spans set started_at = now() - interval '1 second', price_cents_per_hour = 1000000
    where account_id = ${accountId}`.execute(stand.db);
  await checkBudgets(stand.db);
  // Without a reload.
  await row(page, "$2.50")
    .getByText(/^Reached on \d+ \w+$/)
    .waitFor();
  await row(page, "$400.00").getByText("Not reached").waitFor();
  await expectUsable(page);

  const other = await stand.signedIn("/usage", renter);
  await row(other, "$400.00").waitFor();
  await other.getByText("You can't change budget alerts. This needs the role owner, admin or billing.").waitFor();
  expect(await other.getByRole("button", { name: /budget alert|^Delete/ }).count()).toBe(0);

  await page.getByRole("button", { name: "Delete $400.00" }).click();
  await row(page, "$400.00").waitFor({ state: "detached" });
  expect(await call(token, "GET", "/budget-alerts")).toMatchObject([{ amount_cents: 250 }]);
});
