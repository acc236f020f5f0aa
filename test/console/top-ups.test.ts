// A customer pays into the balance in the console: the amount is ordered once, whatever is lost or pressed twice, is paid on the
// provider's page, and the page of the balance says what became of it; each by those alone whose role may.

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

type Page = Awaited<ReturnType<Stand["open"]>>;

/** The page of the provider. */
async function opened(path: string, token: string): Promise<Page> {
  const page = await stand.signedIn(path, token);
  await page.route("https://checkout.stripe.com/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<h1>Pay here</h1>" }),
  );
  return page;
}

async function order(page: Page, amount: string, act: (page: Page) => Promise<void>): Promise<void> {
  await page.getByRole("button", { name: "Top up" }).click();
  await page.getByRole("dialog", { name: "Top up balance" }).getByLabel("Amount").fill(amount);
  await act(page);
}

const proceed = (page: Page) => page.getByRole("button", { name: "Continue to payment" });

/** What the provider's page does when the customer is done there. */
async function back(page: Page): Promise<void> {
  const { pathname, search } = new URL(last().success_url ?? "");
  await page.goto(`${stand.url}${pathname}${search}`);
}

const last = () => {
  const session = stripe.world.sessions.at(-1);
  if (session === undefined) throw new Error("Nothing was ordered");
  return session;
};

async function webhook(): Promise<void> {
  expect((await stripe.deliver(stand.url, stripe.world.events.at(-1))).status).toBe(200);
  await stand.reconciler.idle();
}

it("the amount is ordered once and paid at the provider, and the balance says when it has it", async () => {
  const { token } = await person("topping-up", "billing", "Tom");
  const page = await opened("/balance", token);
  await order(page, "4.99", (page) => proceed(page).click());
  await page.getByText("Enter an amount from $5.00 to $10,000.00.").waitFor();
  await expectUsable(page);
  await page.getByLabel("Amount").fill("50");
  await proceed(page).dblclick();
  await page.getByRole("heading", { name: "Pay here" }).waitFor();
  expect(stripe.world.sessions.map(({ amount_total: cents }) => cents)).toEqual([5000]);

  // By the way back of the browser, too.
  await page.goBack();
  await page.getByText("The payment of $50.00 has not arrived yet").waitFor();
  expect(await page.getByRole("link", { name: "Continue to payment" }).getAttribute("href")).toBe(last().url);
  await back(page);
  await page.getByText("The payment of $50.00 has not arrived yet").waitFor();
  await expectUsable(page);
  stripe.world.pay(last().client_reference_id ?? "");
  await webhook();
  // Without a reload.
  await page.getByText("$50.00 was added to your balance").waitFor();
  await row(page, "Payment").getByText("+$50.00").waitFor();
  await page.getByRole("status").getByRole("button", { name: "Close" }).click();
  await expect.poll(() => page.url()).toBe(`${stand.url}/balance`);
  expect(await page.getByText("was added to your balance").count()).toBe(0);
  await page.getByRole("link", { name: "Top-ups" }).click();
  await row(page, "$50.00").getByText("Paid").first().waitFor();
});

it("an order whose response is lost is the same one when it is repeated, also in a form that was closed", async () => {
  const { token } = await person("losing", "owner", "Lou");
  const before = stripe.world.sessions.length;
  const page = await opened("/balance", token);
  let isLost = true;
  await page.route("**/control/v1/top-ups", async (route) => {
    if (!isLost || route.request().method() !== "POST") return route.fallback();
    isLost = false;
    await route.fetch();
    await route.abort();
  });
  await order(page, "70", (page) => proceed(page).click());
  await page.getByText("The service can't be reached").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await order(page, "70", (page) => proceed(page).click());
  await page.getByRole("heading", { name: "Pay here" }).waitFor();
  expect(stripe.world.sessions.length - before).toBe(1);
});

it("what could not be ordered or was not paid says so, and why", async () => {
  const { token } = await person("failing", "admin", "Fay");
  const page = await opened("/balance", token);
  stripe.next(/POST .*sessions/, "error-before");
  await order(page, "20", (page) => proceed(page).click());
  await page.getByText("Preparing the payment of $20.00").waitFor();
  stripe.next(/POST .*sessions/, "refuse");
  await order(page, "30", (page) => proceed(page).click());
  await page.getByText("The payment of $30.00 failed").waitFor();
  await page.getByText("The provider rejected the order.").waitFor();
  await expectUsable(page);
  await page.goto(`${stand.url}/top-ups`);
  await row(page, "$30.00").getByText("Failed").waitFor();
  await row(page, "$20.00").getByText("Created").waitFor();
  await page.goto(`${stand.url}/balance?top_up=0198c5d3-5c52-7c4e-9d0c-0a3c5f1f2b70`);
  await page.getByRole("alert").getByRole("button", { name: "Try again" }).waitFor();
});

it("roles that may not pay are told, and see the top-ups of the team", async () => {
  const page = await opened("/balance", (await person("topping-up", "viewer", "Val")).token);
  await page.getByText("You can't top up or redeem vouchers. This needs the role owner, admin or billing.").waitFor();
  expect(await page.getByRole("button", { name: "Top up" }).count()).toBe(0);
  await page.getByRole("link", { name: "Top-ups" }).click();
  await row(page, "$50.00").waitFor();
});
