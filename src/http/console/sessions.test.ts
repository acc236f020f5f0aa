// Signing in to the console with a token, being signed in, and signing out, over real HTTP.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "../../../test/support/console.ts";
import { openStream } from "../../../test/support/event-source.ts";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { connect, type Database } from "../../database/connect.ts";
import { resolveEngines } from "../../engines/kinds.ts";

let world: World;
let http: RunningHttp;
/** Another server on the same database. */
let second: RunningHttp;
let secondDb: Database;

beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
  secondDb = connect(world.config);
  second = await startHttp(world, { db: secondDb });
});
afterAll(async () => {
  await second?.close();
  await secondDb?.destroy();
  await http?.close();
  await world?.close();
});

const account = "/control/v1/account";
const session = "/console/session";

async function signedIn(customer?: { token: string }): Promise<Browser> {
  const browser = new Browser(http.main);
  await browser.signIn((customer ?? (await http.customer())).token);
  return browser;
}

/** The same browser as another server sees it. */
function at(other: RunningHttp, browser: Browser): Browser {
  const there = new Browser(other.main);
  there.cookie = browser.cookie;
  return there;
}

const codeOf = (body: unknown) => (body as { error: { code: string } }).error.code;

describe("who signs in with a token", () => {
  it("is told where the control interface is and who they are, also when they come back", async () => {
    const { token, principal, tokenId } = await http.customer({ scopes: ["read", "write"] });
    const browser = new Browser(http.main);
    const { body, headers } = await browser.signIn(token);
    expect(body).toEqual({
      data: {
        control_url: "/control/v1",
        account: expect.objectContaining({ id: principal.accountId, token: expect.objectContaining({ id: tokenId }) }),
        expires_at: expect.any(String),
        simulated: true,
      },
    });
    expect(headers["cache-control"]).toBe("no-store");
    const own = await http.call("GET", `${http.main}${account}`, { token });
    expect((body as { data: { account: unknown } }).data.account).toEqual((own.body as { data: unknown }).data);
    expect((await browser.ask("GET", session)).body).toEqual(body);
    const { expires_at: end } = (body as { data: { expires_at: string } }).data;
    const hours = (Date.parse(end) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(12);
  });

  it("is told that machines are real where a real engine is set", async () => {
    const hosts = [{ name: "gpu-1", region: "north", uri: "qemu:///system" }];
    const engines = resolveEngines({ libvirt: [{ name: "metal", hosts }] }, { name: "lessor.yaml", directory: "/" });
    const real = await startHttp(world, { config: { engines } });
    try {
      const browser = new Browser(real.main);
      const { body } = await browser.signIn((await real.customer()).token);
      expect(body).toMatchObject({ data: { simulated: false } });
    } finally {
      await real.close();
    }
  });

  it("may be an operator whose token may not read", async () => {
    const { token } = await http.customer({ scopes: ["operator"] });
    const browser = new Browser(http.main);
    const { body } = await browser.signIn(token);
    expect(body).toMatchObject({ data: { account: { token: { scopes: ["operator"] } } } });
    expect((await browser.ask("GET", "/control/v1/hosts")).status).toBe(200);
    expect((await browser.ask("GET", account)).status).toBe(403);
  });

  it("may paste it with space around it", async () => {
    const browser = new Browser(http.main);
    expect((await browser.signIn(` ${(await http.customer()).token}\n`)).status).toBe(200);
  });

  it("does with the cookie what the token may, and no more", async () => {
    const browser = await signedIn(await http.customer({ scopes: ["read"] }));
    expect((await browser.ask("GET", account)).status).toBe(200);
    const made = await browser.ask("POST", "/control/v1/tokens", { body: { name: "x", scopes: ["read"] } });
    expect([made.status, codeOf(made.body)]).toEqual([403, "global/forbidden"]);
    expect((await browser.ask("GET", "/control/v1/hosts")).status).toBe(403);
  });

  it("is refused with a token that is none, revoked or expired, and gets no cookie", async () => {
    const revoked = await http.customer();
    await http.call("DELETE", `${http.control}/tokens/${revoked.tokenId}`, { token: revoked.token });
    const expired = await http.customer();
    await world.db.updateTable("tokens").set({ expires_at: new Date() }).where("id", "=", expired.tokenId).execute();
    const browser = new Browser(http.main);
    for (const token of ["lessor_unknown", " ", revoked.token, expired.token]) {
      const { status, body, headers } = await browser.ask("POST", session, { body: { token } });
      expect([status, codeOf(body)]).toEqual([401, "global/invalid-api-key"]);
      expect(body).toMatchObject({ error: { suggestion: expect.stringContaining("sign in") } });
      expect(headers["set-cookie"]).toBeUndefined();
    }
  });

  it("is refused while the account is switched off", async () => {
    const customer = await http.customer();
    const { accountId } = customer.principal;
    await world.db.updateTable("accounts").set({ status: "inactive" }).where("id", "=", accountId).execute();
    const { status, body } = await new Browser(http.main).ask("POST", session, { body: { token: customer.token } });
    expect([status, codeOf(body)]).toEqual([403, "global/account-inactive"]);
  });

  it.each([undefined, "", {}, { token: 5 }, { token: "" }, { token: ["a"] }, { token: "x".repeat(2000) }, "{"])(
    "is told what is wrong with a body that shows none: %j",
    async (body) => {
      const seen = await new Browser(http.main).ask("POST", session, { body });
      expect(seen.status).toBe(400);
    },
  );
});

describe("a session", () => {
  it("is good on every server, and after signing out on none, at once", async () => {
    const browser = await signedIn();
    const there = at(second, browser);
    expect((await there.ask("GET", account)).status).toBe(200);
    const out = await browser.signOut();
    expect([out.status, out.body]).toEqual([200, { data: {} }]);
    expect(browser.cookie).toBeUndefined();
    const after = await there.ask("GET", account);
    expect([after.status, codeOf(after.body)]).toEqual([401, "global/invalid-api-key"]);
    expect(after.body).toMatchObject({ error: { suggestion: "Sign in again." } });
  });

  it("is one of several: signing out of one leaves the others", async () => {
    const customer = await http.customer();
    const [one, other] = [await signedIn(customer), await signedIn(customer)];
    expect(one.secret).not.toBe(other.secret);
    await one.signOut();
    expect((await other.ask("GET", account)).status).toBe(200);
  });

  it("ends with its token and its account, at once, on every server", async () => {
    const operator = (await http.customer({ scopes: ["operator"] })).token;
    const revoked = await http.customer();
    const switchedOff = await http.customer();
    const browsers = [at(second, await signedIn(revoked)), at(second, await signedIn(switchedOff))];
    const statuses = () => Promise.all(browsers.map(async (one) => (await one.ask("GET", account)).status));
    expect(await statuses()).toEqual([200, 200]);
    const { accountId } = switchedOff.principal;
    await http.call("DELETE", `${http.control}/tokens/${revoked.tokenId}`, { token: revoked.token });
    await http.call("PATCH", `${http.control}/accounts/${accountId}`, {
      token: operator,
      body: { status: "inactive" },
    });
    expect(await statuses()).toEqual([401, 403]);
    // Who signs out all the same is signed out.
    expect((await browsers[0]?.signOut())?.status).toBe(200);
  });

  it("ends after two hours without a request, and not while there are some", async () => {
    const [used, idle] = [await signedIn(), await signedIn()];
    const restarted = await startHttp(world);
    try {
      await travel(world.db, "90 minutes");
      expect((await at(restarted, used).ask("GET", account)).status).toBe(200);
    } finally {
      // Writes what was used.
      await restarted.close();
    }
    await travel(world.db, "31 minutes");
    expect((await used.ask("GET", account)).status).toBe(200);
    expect((await idle.ask("GET", account)).status).toBe(401);
  });

  it("lets a stream of events in, which ends when somebody signs out on another server", async () => {
    const browser = await signedIn();
    const headers = { cookie: browser.cookie ?? "", "sec-fetch-site": "same-origin" };
    const stream = await openStream(`${http.control}/events/stream`, { headers });
    expect(stream.status).toBe(200);
    await expect.poll(() => stream.lastEventId).not.toBe("");
    await at(second, browser).signOut();
    await stream.end();
    expect(stream.text).toContain("no longer valid");
  });

  it("counts as its token for the limit of requests, and gives way to a token in the request", async () => {
    const [customer, other] = [await http.customer(), await http.customer({ scopes: ["operator"] })];
    const browser = await signedIn(customer);
    const own = await browser.ask("GET", account);
    expect(own.headers.ratelimit).toMatch(/^"token";r=\d+/);
    const asToken = await browser.ask("GET", "/control/v1/regions", {
      headers: { authorization: `Bearer ${other.token}` },
    });
    expect(asToken.status).toBe(200);
    expect((await browser.ask("GET", "/control/v1/regions")).status).toBe(403);
    const wrong = await browser.ask("GET", account, { headers: { authorization: "Bearer nonsense" } });
    expect(wrong.status).toBe(401);
    expect((await browser.ask("GET", session, { headers: { authorization: `Bearer ${customer.token}` } })).status).toBe(
      401,
    );
  });
});

describe("the audit log", () => {
  it("has who signed in and out, with the session, and who was refused it, without anything secret", async () => {
    const customer = await http.customer();
    const browser = await signedIn(customer);
    const { secret } = browser;
    await browser.signOut();
    await http.call("DELETE", `${http.control}/tokens/${customer.tokenId}`, { token: customer.token });
    await browser.ask("POST", session, { body: { token: customer.token } });
    const { token } = await http.customer({ principal: customer.principal });
    const log = await http.call("GET", `${http.control}/audit-log?token_id=${customer.tokenId}`, { token });
    const { data } = log.body as {
      data: { operation: string; result: string; objects: string[]; interface: string }[];
    };
    const told = data.filter((entry) => entry.interface === "console").reverse();
    expect(told.map(({ operation, result }) => [operation, result])).toEqual([
      ["signIn", "done"],
      ["signOut", "done"],
      ["signIn", "refused"],
    ]);
    expect(told[0]?.objects).toHaveLength(1);
    expect(told[1]?.objects).toEqual(told[0]?.objects);
    expect(log.text).not.toContain(secret);
    expect(log.text).not.toContain(customer.token);
    const only = await http.call("GET", `${http.control}/audit-log?operation=signOut`, { token });
    expect((only.body as { data: unknown[] }).data).toHaveLength(1);
  });
});

describe("what is kept of answers", () => {
  it("is never another account's, whoever asks in between, by token or cookie", async () => {
    const customers = await Promise.all(Array.from({ length: 3 }, () => http.customer()));
    const browsers = await Promise.all(customers.map(signedIn));
    for (const [index, { token }] of customers.entries())
      await http.call("POST", `${http.marketplace}/ssh-keys`, {
        token,
        body: { name: `key-${index}`, public_key: key },
      });
    for (let round = 0; round < 3; round++) {
      for (const [index, browser] of browsers.entries()) {
        const { token, principal } = customers[index] as (typeof customers)[number];
        const answers = [
          (await browser.ask("GET", "/control/v1/ssh-keys")).text,
          (await http.call("GET", `${http.control}/ssh-keys`, { token })).text,
        ];
        expect(answers[0]).toBe(answers[1]);
        expect(answers[0]).toContain(`"key-${index}"`);
        expect((await browser.ask("GET", account)).body).toMatchObject({ data: { id: principal.accountId } });
      }
    }
  });
});

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPQ2Zt9RkYJkCwXyI7VRY8ZPpLr0b1dKxPZ2nGQwYw8s";
