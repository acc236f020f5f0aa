// Help and the API documents in a browser: linked from every page of the console, under their own Content-Security-Policy
// (openPage ends a test in which it was violated), and requests can be sent from them.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { serious } from "./support/accessibility.ts";
import { openPage, painted, sizes } from "./support/browser.ts";
import { layoutFaults } from "./support/layout.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});

const places = ["/docs/start", "/docs/api", "/docs/reference/cli"];

async function documentationLinks(page: Page): Promise<(string | null)[]> {
  const links = page.getByRole("navigation", { name: "Documentation" }).locator("a");
  await links.first().waitFor({ state: "attached" });
  return links.evaluateAll((all) => all.map((one) => one.getAttribute("href")));
}

describe("documentation is linked", () => {
  it("from the sign-in page, every page of a session, and an address that is none", async () => {
    expect(await documentationLinks(await stand.open("/instances"))).toEqual(places);
    const page = await stand.signedIn("/instances");
    for (const path of ["/instances", "/launch", "/usage", "/nothing-here"]) {
      await page.goto(stand.url + path);
      expect(await documentationLinks(page)).toEqual(places);
    }
    await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "CLI" }).click();
    await page.getByRole("heading", { level: 1, name: "The CLI" }).waitFor();
    await page.getByRole("link", { name: "Console", exact: true }).click();
    await page.getByRole("navigation", { name: "Console" }).waitFor();
  });

  it("and shown as soon as the connection is back, where its link is followed while offline", async () => {
    const page = await stand.signedIn("/instances");
    for (const [title, path] of [
      ["Help", "/docs/start"],
      ["API documentation", "/docs/api"],
      ["CLI", "/docs/reference/cli"],
    ] as const) {
      await page.getByRole("heading", { level: 1, name: "Instances" }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: title }).click();
      await page.getByRole("heading", { level: 1, name: "You're offline" }).waitFor();
      await page.getByRole("navigation", { name: "Console" }).waitFor();
      await page.context().setOffline(false);
      await page.getByRole("link", { name: "Console", exact: true }).waitFor();
      expect(new URL(page.url()).pathname).toBe(path);
      await page.goto(`${stand.url}/instances`);
    }
  });

  it("from the sign-in page, which shows the offline page too", async () => {
    const page = await stand.open("/instances");
    const links = page.getByRole("navigation", { name: "Documentation" });
    await links.waitFor();
    await page.context().setOffline(true);
    await links.getByRole("link", { name: "CLI" }).click();
    await page.getByRole("heading", { level: 1, name: "You're offline" }).waitFor();
    expect(await serious(page)).toEqual([]);
    await page.context().setOffline(false);
    await page.getByRole("heading", { level: 1, name: "The CLI" }).waitFor();
  });

  it("where the service does not answer", async () => {
    const page = await openPage(stand.browser);
    await page.route("**/console/session", (route) => route.abort());
    await page.goto(stand.url);
    expect(await documentationLinks(page)).toEqual(places);
  });
});

describe("a documentation page", () => {
  it("sends a request with the token that is typed in, shows the response, and forgets the token", async () => {
    const token = await stand.customerToken("tries");
    const page = await openPage(stand.browser);
    await page.goto(`${stand.url}/control/v1/docs/#listInstances`);
    const operation = page.locator("#listInstances");
    await operation.getByText("Try it").click();
    const answer = operation.getByRole("status");
    await operation.getByRole("button", { name: "Send request" }).click();
    await answer.getByText(/^401 /).waitFor();
    await page.getByLabel("Token for “Try it”").fill(token);
    await operation.getByLabel("limit", { exact: true }).fill("5");
    const asked = page.waitForRequest((request) => request.url().endsWith("/control/v1/instances?limit=5"));
    await operation.getByRole("button", { name: "Send request" }).click();
    expect((await asked).headers()).toMatchObject({ authorization: `Bearer ${token}` });
    await answer.getByText(/^200 /).waitFor();
    expect(await answer.locator("pre").last().textContent()).toContain('"data": []');
    await page.reload();
    expect(await page.getByLabel("Token for “Try it”").inputValue()).toBe("");
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
      token,
    );
  });

  it("of an interface is searched by method, path, title and operation", async () => {
    const page = await openPage(stand.browser);
    await page.goto(`${stand.url}/control/v1/docs/`);
    const shown = () =>
      page.locator("[data-entry]:visible a").evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).hash));
    for (const words of ["post /vouchers/redeem", "Redeem a VOUCHER", "redeemvoucher"]) {
      await page.getByRole("searchbox").fill(words);
      await expect.poll(shown).toEqual(["#redeemVoucher"]);
      expect(await page.locator("article.operation:visible").count()).toBe(1);
    }
  });

  it("shows the curl line of this service, copies it, and opens schemas in place", async () => {
    const page = await openPage(stand.browser, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`${stand.url}/api/vm_marketplace/docs/`);
    const operation = page.locator("article.operation").first();
    await operation.scrollIntoViewIfNeeded();
    const line = operation.locator("[data-origin]");
    await line.getByRole("button", { name: "Copy" }).click();
    await line.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`curl "${stand.url}/api/vm_marketplace/`);
    const nested = page.locator("#schemas [data-fields] > .fields > li > details[data-schema]").first();
    await nested.locator("summary").first().click();
    await expect.poll(() => nested.locator(".fields li").count()).toBeGreaterThan(0);
  });

  it("is searched by key, is light or dark as chosen in the console, and keeps the choice", async () => {
    const page = await openPage(stand.browser, { colorScheme: "light" });
    await page.goto(`${stand.url}/docs/`);
    await page.keyboard.press("/");
    await page.keyboard.type("webhook");
    await expect.poll(() => page.locator("#found").textContent()).toMatch(/Results: \d/);
    await page.getByLabel("Appearance").selectOption("dark");
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await ground()).toBe("rgb(12, 15, 20)");
    await page.goto(`${stand.url}/docs/reference/cli`);
    expect(await ground()).toBe("rgb(12, 15, 20)");
  });

  it("stays while offline and says so, and its anchors go on working", async () => {
    const page = await openPage(stand.browser);
    await page.goto(`${stand.url}/api/vm_marketplace/docs/`);
    await painted(page);
    await page.context().setOffline(true);
    const other = page.getByRole("link", { name: "CLI" });
    await other.click();
    const alert = page.getByRole("alert");
    await alert.getByText("You're offline. Check your connection and try again.").waitFor();
    expect(await layoutFaults(page)).toEqual([]);
    expect(await serious(page)).toEqual([]);
    expect(new URL(page.url()).pathname).toBe("/api/vm_marketplace/docs/");
    const anchor = page.locator(".side a[href^='#']").nth(1);
    const hash = await anchor.getAttribute("href");
    await anchor.click();
    expect(new URL(page.url()).hash).toBe(hash);
    await page.context().setOffline(false);
    await expect.poll(() => alert.count()).toBe(0);
    await other.click();
    await page.waitForURL("**/docs/reference/cli");
  });

  const pages = ["/docs/", "/docs/reference/api/conventions", "/docs/explanation/security", "/api/v1/docs/"];
  it.each(pages)("%s fits windows of three widths, and a screen reader can use it", async (path) => {
    const page = await openPage(stand.browser);
    await page.goto(stand.url + path);
    for (const size of sizes) {
      await page.setViewportSize(size);
      await painted(page);
      expect(await layoutFaults(page), `at ${size.width}`).toEqual([]);
      expect(await serious(page), `at ${size.width}`).toEqual([]);
    }
  });
});
