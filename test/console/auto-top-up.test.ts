// Auto top-up in the console: turned on with a saved card, charged once when the balance falls, turned off by declines with the
// reason, turned on again and off; by those alone whose role may.

import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { Payments } from "../../src/payments/driver.ts";
import { openStripe } from "../../src/payments/stripe/open-stripe.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import type { Card } from "../support/fake-stripe/saved.ts";
import { travel } from "../support/time-travel.ts";
import { afterFile } from "../support/when-over.ts";
import { expectUsable, type Person, peopleOf, row } from "./support/people.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stripe: FakeStripe;
let stand: Stand;
beforeAll(async () => {
  stripe = await startFakeStripe(whenOver);
  stand = await startStand(whenOver, { config: { payments: stripe.settings } });
});
const { call, person } = peopleOf(() => stand);

async function save({ token }: Person, card: Card): Promise<void> {
  const { id } = (await call(token, "POST", "/payment-methods")) as { id: string };
  stripe.world.saved.enter(id, card);
  await stripe.deliver(stand.url, stripe.world.events.at(-1));
  await stand.reconciler.idle();
}

/** Looks who needs a top-up, and charges, as the service does every 30 seconds. */
async function pass(): Promise<void> {
  const { settings } = stripe;
  const payments = new Payments({ db: stand.db, provider: openStripe(settings), settings });
  await payments.orderAutomatic();
  while ((await payments.checkNext()) !== undefined);
}

const adjust = ({ accountId }: Person, cents: number) =>
  call(stand.operatorToken, "POST", `/accounts/${accountId}/adjustments`, { amount_cents: cents, reason: "Used." });

const part = (page: Page) => page.getByRole("region", { name: "Auto top-up" });
const dialogOf = (page: Page, name: string) => page.getByRole("dialog", { name });

async function choose(page: Page, method: string): Promise<void> {
  await page.getByRole("combobox", { name: "Payment method" }).click();
  await page.getByRole("option", { name: method, exact: true }).click();
}

it("charges a saved card once when the balance falls, and says why two declines turned it off", async () => {
  const payer = await person("saving-up", "billing", "Bo");
  await adjust(payer, 10_000);
  const page = await stand.signedIn("/balance", payer.token);
  await part(page).getByText("Save a payment method first.").waitFor();
  await part(page).getByRole("link", { name: "Add payment method" }).waitFor();
  await save(payer, "good");
  // Without a reload, here and below.
  await part(page).getByRole("button", { name: "Turn on" }).click();

  const first = dialogOf(page, "Turn on auto top-up");
  await first.getByLabel("When the balance is below").fill("99999999999");
  await first.getByLabel("Charge").fill("4.99");
  await first.getByLabel("Monthly cap").fill("4");
  await first.getByRole("button", { name: "Turn on" }).click();
  await first.getByText("Enter an amount from $5.00 to $10,000.00.").waitFor();
  await first.getByText("Enter at least the amount of one charge.").waitFor();
  await first.getByLabel("Charge").fill("50");
  await first.getByLabel("Monthly cap").fill("60");
  await first.getByRole("button", { name: "Turn on" }).click();
  // What the service alone knows.
  const threshold = first.getByLabel("When the balance is below");
  await expect.poll(() => threshold.getAttribute("aria-invalid")).toBe("true");
  expect(await first.getByRole("alert").count()).toBe(0);
  await expectUsable(page);
  await threshold.fill("20");
  await first.getByRole("button", { name: "Turn on" }).click();
  await part(page).getByText("Charges $50.00 to Visa ending in 4242 when the balance is below $20.00.").waitFor();

  await pass();
  await adjust(payer, -9000);
  await pass();
  await pass();
  await part(page).getByText("$50.00 of at most $60.00 charged this month.").waitFor();
  await part(page).getByText("The monthly cap allows no further charge").waitFor();
  await row(page, "Payment").getByText("+$50.00").waitFor();
  expect(stripe.world.intents).toHaveLength(1);

  await save(payer, "declining");
  await part(page).getByRole("button", { name: "Change" }).click();
  const second = dialogOf(page, "Change auto top-up");
  expect(await second.getByLabel("Charge").inputValue()).toBe("$50");
  await second.getByLabel("Monthly cap").fill("500");
  await choose(page, "Visa ending in 0341");
  await second.getByRole("button", { name: "Save" }).click();
  await part(page).getByText("Charges $50.00 to Visa ending in 0341").waitFor();
  await adjust(payer, -5000);
  await pass();
  await stand.reconciler.idle();
  await travel(stand.db, "16 minutes");
  await pass();
  const warning = part(page).getByRole("alert");
  await warning.getByText("Auto top-up was turned off").waitFor();
  await warning.getByText("The bank declined the card.").waitFor();
  expect(stripe.world.intents).toHaveLength(3);
  await expectUsable(page);

  await save(payer, "slow");
  await part(page).getByRole("button", { name: "Turn on again" }).click();
  await choose(page, "The default, now Visa ending in 0077");
  await first.getByRole("button", { name: "Turn on" }).click();
  await part(page).getByText("Charges $50.00 to Visa ending in 0077").waitFor();
  await stand.reconciler.idle();
  await travel(stand.db, "16 minutes");
  await pass();
  await page.reload();
  await part(page)
    .getByText("$100.00 of at most $500.00 charged this month, of which $50.00 is in progress.")
    .waitFor();
  await expectUsable(page);

  await part(page).getByRole("button", { name: "Turn off" }).click();
  await dialogOf(page, "Turn off auto top-up?").getByRole("button", { name: "Turn off" }).click();
  await part(page).getByText("Off", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  await page.getByRole("link", { name: "Top-ups" }).click();
  await row(page, "Processing").getByText("Auto top-up").waitFor();
});

it("is read by everyone of the team, and changed by those whose role may", async () => {
  const page = await stand.signedIn("/balance", (await person("looking-on", "viewer", "Vic")).token);
  await part(page).getByText("You can't change auto top-up. This needs the role owner, admin or billing.").waitFor();
  await part(page).getByText("Off", { exact: true }).waitFor();
  expect(await part(page).getByRole("button").count()).toBe(0);
});
