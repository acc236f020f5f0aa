// A person signs up at a provider of OpenID Connect, invites another, pays into the balance, launches, runs out of money and
// gets an invoice: in a browser, with the real provider and a fake of the payment provider, in few enough steps for three
// minutes of a person.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { invoiceSettings } from "../support/invoices.ts";
import { type RealProvider, startRealProvider } from "../support/real-provider.ts";
import { travel } from "../support/time-travel.ts";
import { afterFile } from "../support/when-over.ts";
import { expectUsable, row } from "./support/people.ts";
import { type Stand, startStand } from "./support/stand.ts";

/** How long a person has, and how long one takes for a click or a field, in seconds. */
const [mostSeconds, secondsPerAct] = [180, 4];

const whenOver = afterFile();
let stripe: FakeStripe;
let provider: RealProvider;
let stand: Stand;
beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  provider = await startRealProvider(`${url}/console/sign-in/real/callback`);
  whenOver(() => provider.close());
  provider.people.set("ada", { email: "ada@example.com", email_verified: true, name: "Ada" });
  stripe = await startFakeStripe(whenOver);
  const env = { LESSOR_PORT: String(port), LESSOR_REFERENCE_PORT: "0" };
  const { defaults, listeners } = loadConfig({ env, cwd: import.meta.dirname });
  const config = {
    ...{ listeners, signIn: { url, providers: [provider.settings({ signUp: true, label: "Acme" })] } },
    ...{ payments: { ...stripe.settings, returnUrl: `${url}/balance` }, invoices: invoiceSettings() },
    defaults: { ...defaults, terms: { paymentTerms: "prepaid", creditLineCents: null } },
  } as const;
  stand = await startStand(whenOver, { config, reconciler: { limitCheckSeconds: 0.5, choreSeconds: 0.5 } });
});

/** A port that is free, which the provider has to know before the service is there. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo; // it listens on a port
  await new Promise((closed) => server.close(closed));
  return port;
}

/** What the person does, counted. */
class Person {
  readonly page: Page;
  acts = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(role: "button" | "link" | "combobox", name: string | RegExp): Promise<void> {
    this.acts++;
    await this.page.getByRole(role, { name, exact: true }).first().click();
  }

  async fill(label: string, text: string): Promise<void> {
    this.acts++;
    await this.page.getByLabel(label, { exact: true }).fill(text);
  }

  /** At the provider's page, which knows the person the second time. */
  async signIn(): Promise<void> {
    await this.click("button", "Sign in with Acme");
    const login = this.page.getByPlaceholder("Enter any login");
    const inside = this.page.getByRole("navigation", { name: "Console" });
    const consent = this.page.getByRole("button", { name: "Continue" });
    for (;;) {
      await login.or(inside).or(consent).first().waitFor({ state: "attached" });
      if ((await inside.count()) > 0) return;
      this.acts++;
      if ((await login.count()) > 0) {
        await login.fill("ada");
        await this.page.getByPlaceholder("and password").fill("x");
      }
      const here = this.page.url();
      const left = this.page.waitForURL((url) => url.href !== here);
      await this.page.getByRole("button", { name: /Sign-in|Continue/ }).click();
      await left;
    }
  }
}

it("a person signs up, invites, tops up, launches, runs out of money and gets an invoice", async () => {
  const page = await stand.open("/");
  await page.route("https://**", (route) => route.fulfill({ contentType: "text/css", body: "" }));
  await page.route("https://checkout.stripe.com/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<h1>Pay here</h1>" }),
  );
  const ada = new Person(page);
  await expectUsable(page);
  await ada.signIn();
  await page.getByRole("heading", { level: 1 }).first().waitFor();

  await ada.click("link", "Team");
  await ada.click("button", "Invite person");
  await ada.fill("Email", "grace@example.com");
  await ada.click("button", "Invite");
  const link = (await page.locator("pre").textContent()) ?? "";
  expect(link).toContain("/join#lessor_invite_");
  await expectUsable(page);
  await ada.click("button", "I've saved it");
  const grace = await stand.open(new URL(link).pathname + new URL(link).hash);
  await grace.getByLabel("Your name").fill("Grace");
  await grace.getByRole("button", { name: "Accept invitation" }).click();
  await grace.getByRole("heading", { name: /^You joined/ }).waitFor();
  await page.getByRole("table", { name: "People" }).getByText("grace@example.com").waitFor();

  await ada.click("link", "Balance");
  await ada.click("button", "Top up");
  await ada.fill("Amount", "5");
  await ada.click("button", "Continue to payment");
  await page.getByRole("heading", { name: "Pay here" }).waitFor();
  ada.acts += 4; // the fields of a card
  const session = stripe.world.sessions.at(-1);
  stripe.world.pay(session?.client_reference_id ?? "");
  expect((await stripe.deliver(stand.url, stripe.world.events.at(-1))).status).toBe(200);
  await page.goto(session?.success_url ?? "");
  await page.getByText("$5.00 was added to your balance").waitFor();
  await expectUsable(page);

  await ada.click("link", "Instances");
  await ada.click("link", "Launch instance");
  await page.getByText("A10", { exact: false }).first().click();
  ada.acts++;
  await ada.fill("Name", "first-money");
  await ada.click("button", "Launch instance");
  await page.getByRole("heading", { level: 1, name: "first-money" }).waitFor();
  await page.locator("header").getByText("Active", { exact: true }).waitFor();
  await expectUsable(page);

  // Five dollars are six hours and forty minutes of it.
  await stand.reconciler.idle();
  await travel(stand.db, "6 hours 41 minutes");
  await page.goto(`${stand.url}/instances`);
  await ada.signIn();
  await ada.click("link", "Balance");
  await page.getByText("The balance is used up").waitFor();
  await expectUsable(page);
  await ada.click("link", "Instances");
  await row(page, "first-money").getByText("Stopped").waitFor();

  // Stopped instances are kept a day; the month is over.
  await stand.reconciler.idle();
  await travel(stand.db, "33 days");
  await page.goto(`${stand.url}/instances`);
  await ada.signIn();
  await ada.click("link", "Invoices");
  await row(page, "Invoice").first().waitFor();
  await expectUsable(page);
  const saved = page.waitForEvent("download");
  await ada.click("button", /^PDF of/);
  expect((await saved).suggestedFilename()).toMatch(/\.pdf$/);

  expect(ada.acts * secondsPerAct, `${ada.acts} acts`).toBeLessThan(mostSeconds);
});
