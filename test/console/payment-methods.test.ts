// Payment methods in the console: entered on the provider's page, once, whatever is pressed twice or lost, shown when the page
// leads back, and removed; by those alone whose role may.

import { beforeAll, expect, it } from "vitest";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { afterFile } from "../support/when-over.ts";
import { expectUsable, peopleOf, row } from "./support/people.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stripe: FakeStripe;
let stand: Stand;
beforeAll(async () => {
  stripe = await startFakeStripe(whenOver);
  stand = await startStand(whenOver, { config: { payments: stripe.settings } });
});
const { person } = peopleOf(() => stand);

const last = () => {
  const session = stripe.world.sessions.at(-1);
  if (session === undefined) throw new Error("Nothing was ordered");
  return session;
};

it("a card is entered at the provider once, is the default, and is removed", async () => {
  const { token } = await person("saving", "billing", "Sam");
  const page = await stand.signedIn("/balance", token);
  await page.route("https://checkout.stripe.com/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<h1>Enter here</h1>" }),
  );
  let isLost = true;
  await page.route("**/control/v1/payment-methods", async (route) => {
    if (!isLost || route.request().method() !== "POST") return route.fallback();
    isLost = false;
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("link", { name: "Payment methods" }).click();
  await page.getByText("No payment methods").waitFor();
  await page.getByRole("button", { name: "Add payment method" }).click();
  await page.getByText("The service can't be reached").waitFor();
  await page.getByRole("button", { name: "Add payment method" }).dblclick();
  await page.getByRole("heading", { name: "Enter here" }).waitFor();
  expect(stripe.world.sessions).toHaveLength(1);

  const { pathname, search } = new URL(last().success_url ?? "");
  expect(pathname).toBe("/balance");
  await page.goto(`${stand.url}${pathname}${search}`);
  await page.getByText("The payment method is not saved yet").waitFor();
  expect(new URL(page.url()).pathname).toBe("/payment-methods");
  await row(page, "New payment method").getByRole("link", { name: "Enter" }).waitFor();
  await expectUsable(page);
  stripe.world.saved.enter(last().client_reference_id ?? "");
  expect((await stripe.deliver(stand.url, stripe.world.events.at(-1))).status).toBe(200);
  await stand.reconciler.idle();
  // Without a reload.
  await page.getByText("Visa ending in 4242 was saved").waitFor();
  await row(page, "Visa ending in 4242").getByText("Default").waitFor();
  await row(page, "08/2030").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("");

  const viewer = await stand.signedIn("/payment-methods", (await person("saving", "viewer", "Vi")).token);
  await viewer
    .getByText("You can't add or remove payment methods. This needs the role owner, admin or billing.")
    .waitFor();
  await row(viewer, "Visa ending in 4242").waitFor();
  expect(await viewer.getByRole("button", { name: /^(Add|Remove)/ }).count()).toBe(0);

  await page.getByRole("button", { name: "Remove Visa ending in 4242" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove Visa ending in 4242?" });
  await expectUsable(page);
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("No payment methods").waitFor();
});
