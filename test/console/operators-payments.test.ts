// What operators see of payments in the console: of all accounts, why one failed, which were disputed, and the hold of a
// disputed account; refunds and lifting a hold are for those alone whose role may.

import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { afterFile } from "../support/when-over.ts";
import { openPage } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { fixedNow } from "./support/fixed/moments.ts";
import { expectUsable, peopleOf, row } from "./support/people.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stripe: FakeStripe;
let stand: Stand;
beforeAll(async () => {
  stripe = await startFakeStripe(whenOver);
  stand = await startStand(whenOver, { config: { payments: stripe.settings } });
});
const fixed = fixedConsoleOfFile();
const { call, operator } = peopleOf(() => stand);

/** The id of a payment of the account, of so many cents. */
async function order(account: string, cents: number): Promise<string> {
  const made = await call(await stand.customerToken(account), "POST", "/top-ups", { amount_cents: cents });
  return (made as { id: string }).id;
}

/** The last event of the provider arrives. */
async function told(): Promise<void> {
  await stripe.deliver(stand.url, stripe.world.events.at(-1));
  await stand.reconciler.idle();
}

it("payments of all accounts are listed and filtered", async () => {
  const paid = await order("initech", 5000);
  stripe.world.pay(paid);
  await told();
  await order("globex", 7000);

  const page = await stand.signedIn("/operator/payments", stand.operatorToken);
  await row(page, "50.00 USD").getByText("Paid", { exact: true }).first().waitFor();
  const { provider_payment_id: reference } = (await call(stand.operatorToken, "GET", `/payments/${paid}`)) as {
    provider_payment_id: string;
  };
  await row(page, "initech").getByText(reference).waitFor();
  await row(page, "globex").getByText("70.00 USD").waitFor();
  await expectUsable(page);

  await page.getByRole("combobox", { name: "Status" }).click();
  await page.getByRole("option", { name: "Paid", exact: true }).click();
  await row(page, "globex").waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "Disputes" }).click();
  await page.getByRole("option", { name: "Disputed", exact: true }).click();
  await page.getByText("No payments match these filters.").waitFor();
});

it("a disputed payment says so, and the hold of its account is lifted by who may", async () => {
  const id = await order("hooli", 3000);
  stripe.world.pay(id);
  await told();
  stripe.world.dispute(id, "needs_response");
  await told();

  const page = await stand.signedIn("/operator/payments", await operator("support"));
  await row(page, "hooli").getByText("Disputed", { exact: true }).waitFor();
  await row(page, "hooli").getByText("On hold").waitFor();
  await page.getByText("You can't lift holds. This needs the role operator or finance.").waitFor();
  await row(page, "hooli").getByRole("link", { name: "hooli" }).click();
  await page.getByText("You can't lift the hold. This needs the role operator or finance.").waitFor();

  const finance = await stand.signedIn("/operator/payments", await operator("finance"));
  await finance.getByRole("button", { name: "Lift hold of hooli" }).click();
  const dialog = finance.getByRole("dialog", { name: "Lift the hold of hooli?" });
  await dialog.getByRole("button", { name: "Lift hold" }).click();
  await finance.getByText("hooli can launch again.").waitFor();
  await row(finance, "hooli").getByText("On hold").waitFor({ state: "detached" });
  await row(finance, "hooli").getByText("Disputed", { exact: true }).waitFor();
});

it("a payment is refunded in parts, at most what is left, once for an attempt, by who may", async () => {
  const id = await order("umbrella", 4000);
  stripe.world.pay(id);
  await told();
  const page = await stand.signedIn("/operator/payments", await operator("finance"));
  const open = async (by: Page) => {
    await row(by, "umbrella")
      .getByRole("button", { name: /^Refunds of/ })
      .click();
    return by.getByRole("dialog", { name: "Refunds of 40.00 USD by umbrella" });
  };
  let dialog = await open(page);
  await dialog.getByText("Nothing was paid back.").waitFor();
  await dialog.getByText("At most 40.00 USD.").waitFor();
  await dialog.getByLabel("Amount").fill("15");
  await dialog.getByLabel("Reason").fill("Paid twice");
  await expectUsable(page);
  await page.route("**/refunds", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await route.abort();
  });
  await dialog.getByRole("button", { name: "Refund", exact: true }).click();
  await dialog.getByText("The service can't be reached").waitFor();
  await page.unroute("**/refunds");
  await dialog.getByRole("button", { name: "Refund", exact: true }).click();
  await page.getByText("Ordered a refund of 15.00 USD to umbrella.").waitFor();
  await stand.reconciler.idle();

  await dialog.waitFor({ state: "detached" });
  dialog = await open(page);
  await dialog.getByText("At most 25.00 USD.").waitFor();
  expect(await row(page, "Paid twice").count()).toBe(1);
  await dialog.getByLabel("Amount").fill("25.01");
  await dialog.getByLabel("Reason").fill("All of it");
  await dialog.getByRole("button", { name: "Refund", exact: true }).click();
  // The input does not take more than is left.
  await page.getByText("Ordered a refund of 25.00 USD to umbrella.").waitFor();
  await stand.reconciler.idle();

  const support = await stand.signedIn("/operator/payments", await operator("support"));
  const shown = await open(support);
  await shown.getByText("You can't refund payments. This needs the role operator or finance.").waitFor();
  await row(support, "All of it").getByText("Paid back").waitFor();
  await expectUsable(support);
});

it("a payment that failed says why in words", async () => {
  const page = await openPage(fixed.browser);
  await page.clock.setFixedTime(fixedNow);
  await page.goto(`${fixed.service.url}/operator/payments`);
  await row(page, "500.00 USD").getByText("The card or account has too little money.").waitFor();
});
