// Attacks on the sign-in, in a real browser: from pages of other origins, with cookies planted before, by addresses.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { signIn } from "../support/chromium.ts";
import { afterFile, afterTest } from "../support/when-over.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});

const cookieName = "lessor_console";

const sessionOf = async (page: Page) =>
  (await page.context().cookies(stand.url)).find(({ name }) => name === cookieName);

/** A page of somebody else, on another port of this machine: the same site to browsers, and another origin. */
async function foreignOrigin(): Promise<string> {
  const server = createServer((_, reply) => {
    reply.writeHead(200, { "content-type": "text/html" });
    reply.end("<!doctype html><title>Prizes</title><h1>You have won</h1>");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  afterTest(() => server.close());
  // A server on a port has one.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a session", () => {
  it("is in a cookie that no script reads and no other site has sent", async () => {
    const page = await stand.signedIn("/instances");
    expect(await sessionOf(page)).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
    expect(await page.evaluate(() => document.cookie)).toBe("");
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain("lessor_");
  });

  it("ends with signing out, on the server too", async () => {
    const page = await stand.signedIn("/instances");
    const secret = (await sessionOf(page))?.value ?? "";
    await page.getByRole("button", { name: /^Account/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    const answer = await fetch(`${stand.url}/console/session`, {
      headers: { cookie: `${cookieName}=${secret}`, "x-lessor-console": "1" },
    });
    expect(answer.status).toBe(401);
  });
});

describe("a page of another origin", () => {
  it("can neither read nor change anything in the name of who is signed in", async () => {
    const page = await stand.signedIn("/instances", await stand.customerToken("victim"));
    const foreign = await foreignOrigin();
    const attacker = await page.context().newPage();
    await attacker.goto(foreign);
    const outcomes = await attacker.evaluate(async (url) => {
      const tries: [string, RequestInit][] = [
        ["/control/v1/account", { credentials: "include" }],
        ["/control/v1/account", { credentials: "include", headers: { "x-lessor-console": "1" } }],
        ["/control/v1/tokens", { method: "POST", credentials: "include", mode: "no-cors", body: "{}" }],
        ["/console/session", { method: "DELETE", credentials: "include", headers: { "x-lessor-console": "1" } }],
      ];
      return Promise.all(
        tries.map(([path, init]) =>
          fetch(url + path, init).then(
            (answer) => `${answer.type} ${answer.status}`,
            () => "refused",
          ),
        ),
      );
    }, stand.url);
    expect(outcomes).toEqual(["refused", "refused", "opaque 0", "refused"]);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Instances" }).waitFor();
  });

  it("changes nothing with a form that it sends", async () => {
    const token = await stand.customerToken("form-victim");
    const page = await stand.signedIn("/instances", token);
    const tokens = async () => {
      const answer = await fetch(`${stand.control}/tokens`, { headers: { authorization: `Bearer ${token}` } });
      return ((await answer.json()) as { data: unknown[] }).data.length;
    };
    const before = await tokens();
    const attacker = await page.context().newPage();
    await attacker.goto(await foreignOrigin());
    await attacker.evaluate((url) => {
      const form = document.createElement("form");
      form.method = "post";
      form.enctype = "text/plain";
      form.action = `${url}/control/v1/tokens`;
      const field = document.createElement("input");
      field.name = '{"name":"stolen","scopes":["read","write"],"x":"';
      field.value = '"}';
      form.append(field);
      document.body.append(form);
      form.submit();
    }, stand.url);
    await attacker.waitForLoadState();
    expect(await tokens()).toBe(before);
  });

  it("cannot show the console in a frame", async () => {
    // Of a browser whose complaints nobody counts: it tells of the refusal.
    const context = await stand.browser.newContext();
    afterTest(() => context.close());
    const attacker = await context.newPage();
    await attacker.goto(await foreignOrigin());
    await attacker.evaluate(async (url) => {
      const frame = document.createElement("iframe");
      frame.src = `${url}/instances`;
      document.body.append(frame);
      await new Promise((loaded) => {
        frame.onload = loaded;
      });
    }, stand.url);
    const [, frame] = attacker.frames();
    expect(await frame?.locator("#console").count()).toBe(0);
  });
});

describe("a cookie that somebody planted before the sign-in", () => {
  it("is not the session afterwards", async () => {
    const other = await stand.signedIn("/instances", await stand.customerToken("mallory"));
    const planted = (await sessionOf(other))?.value ?? "";
    const page = await stand.open();
    await page
      .context()
      .addCookies([{ name: cookieName, value: planted, url: stand.url, httpOnly: true, sameSite: "Strict" }]);
    await page.reload();
    // Signed in as the other one: they sign out, and in as themselves.
    await page.getByRole("button", { name: /^Account mallory/ }).waitFor();
    await page.evaluate(() => fetch("/console/session", { method: "DELETE", headers: { "x-lessor-console": "1" } }));
    await page.reload();
    await signIn(page, await stand.customerToken("honest"));
    const own = (await sessionOf(page))?.value ?? "";
    expect(own).not.toBe(planted);
    const seen = await fetch(`${stand.url}/console/session`, {
      headers: { cookie: `${cookieName}=${planted}`, "x-lessor-console": "1" },
    });
    expect(seen.status).toBe(401);
  });

  it("is replaced also where it was nobody's", async () => {
    const page = await stand.open();
    const planted = "A".repeat(43);
    await page
      .context()
      .addCookies([{ name: cookieName, value: planted, url: stand.url, httpOnly: true, sameSite: "Strict" }]);
    await page.reload();
    await signIn(page, await stand.customerToken("honest"));
    expect((await sessionOf(page))?.value).not.toBe(planted);
  });
});

describe("a token", () => {
  it("in an address signs nobody in", async () => {
    const token = await stand.customerToken("careless");
    for (const address of [`/?token=${token}`, `/instances?access_token=${token}`, `/#token=${token}`]) {
      const page = await stand.open(address);
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      expect(await page.getByLabel("Token", { exact: true }).inputValue()).toBe("");
      expect(await sessionOf(page)).toBeUndefined();
    }
  });

  it("is in no address that the console asks for, nor left in the page", async () => {
    const token = await stand.customerToken("careful");
    const page = await stand.open("/instances");
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(`${request.url()} ${JSON.stringify(request.headers())}`));
    await signIn(page, token);
    await page.getByRole("heading", { level: 1, name: "Instances" }).waitFor();
    expect(addresses.filter((address) => address.includes(token))).toEqual([]);
    expect(page.url()).not.toContain(token);
    expect(await page.content()).not.toContain(token);
  });

  it("that is not valid is refused in words", async () => {
    const page = await stand.open();
    await page.getByLabel("Token", { exact: true }).fill("lessor_nonsense");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("This token is not valid").waitFor();
    expect(await sessionOf(page)).toBeUndefined();
  });

  it("of a customer opens no page of operators", async () => {
    const page = await stand.signedIn("/operator/fleet");
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).not.toBe("Fleet");
    expect(await page.getByRole("link", { name: "Fleet" }).count()).toBe(0);
  });
});
