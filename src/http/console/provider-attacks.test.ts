// Attacks on signing in with OpenID Connect (OAuth 2.0 Security Best Current Practice, RFC 9700): none signs anyone in. Each fails
// without its defense, which was tried by taking it away:
//
// login CSRF: `expectedState` · code injection: once the verifier, once `expectedNonce` (provider-client.ts)
// replay, ten minutes: the row deleted with its time (sign-in-attempts.ts) · mix-up: `attempt.provider` there, and `iss` of openid-client
// responses, ID tokens: checks of openid-client for state, iss, nonce, aud, exp, nbf, alg; signatures: `enableNonRepudiationChecks`
// sites: `refuseOthers`, failures noted with the cookie only (provider-routes.ts) · open redirect: `ownPath`
// session fixation: `endSession` (open-session.ts) · addresses: `proves`, `proves_email` (identities.ts)
// provider's responses: `redirect: "manual"`, `mostBytes`, `claimsFrom` (provider-client.ts) · log: no query in it

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Browser } from "../../../test/support/console.ts";
import { FakeProvider, type Twist } from "../../../test/support/fake-provider.ts";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";

let world: World;
let http: RunningHttp;
let fake: FakeProvider;
let evil: FakeProvider;
const lines: string[] = [];
beforeAll(async () => {
  world = await makeWorld();
  fake = await FakeProvider.start();
  evil = await FakeProvider.start();
  const providers = [fake.settings(), evil.settings({ id: "evil" })];
  const signIn = { url: "https://console.example", providers };
  http = await startHttp(world, { config: { signIn }, log: { write: (line) => void lines.push(line) } });
});
afterAll(async () => {
  await http?.close();
  await world?.close();
  fake?.close();
  evil?.close();
});
beforeEach(() => {
  fake.twist = {};
  fake.user = { sub: world.fresh("subject"), email: `${world.fresh("person")}@example.com` };
});

const account = "/control/v1/account";

/** Begins a sign-in; gives where the browser is sent. */
async function begun(browser: Browser, { id = "fake", returnTo = "/usage" } = {}): Promise<string> {
  const seen = await browser.ask("POST", `/console/sign-in/${id}`, { body: { return_to: returnTo } });
  expect(seen.status, seen.text).toBe(200);
  return (seen.body as { data: { url: string } }).data.url;
}

/** What a link of the provider makes a browser do. */
const callback = (browser: Browser, query: URLSearchParams, id = "fake") =>
  browser.ask("GET", `/console/sign-in/${id}/callback?${query}`, {
    headers: { "x-lessor-console": null, "sec-fetch-site": "cross-site" },
  });

async function outcome(browser: Browser, query: URLSearchParams, id?: string) {
  const { status, headers } = await callback(browser, query, id);
  const isSignedIn = (await browser.ask("GET", account)).status === 200;
  return [status, headers.location, isSignedIn] as const;
}

const refused = (reason: string) => [303, `/sign-in#failed=${reason}`, false];

describe("a sign-in", () => {
  it("signs in, and leads back to the page", async () => {
    const browser = new Browser(http.main);
    const query = fake.signsIn(await begun(browser));
    expect(await outcome(browser, query)).toEqual([303, "/usage", true]);
  });

  it("asks with PKCE, state and nonce, for one address of the provider", async () => {
    const asked = new URL(await begun(new Browser(http.main))).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      redirect_uri: "https://console.example/console/sign-in/fake/callback",
      code_challenge_method: "S256",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
  });
});

describe("the browser of another person", () => {
  it("is not signed in by a response to the attacker's sign-in (login CSRF)", async () => {
    const attacker = new Browser(http.main);
    const query = fake.signsIn(await begun(attacker));
    expect(await outcome(new Browser(http.main), query)).toEqual(refused("expired"));
    const victim = new Browser(http.main);
    const own = new URL(await begun(victim)).searchParams;
    // Neither PKCE nor the nonce protects here: the state does.
    fake.twist = { ignoresVerifier: true, claims: { nonce: own.get("nonce") } };
    expect(await outcome(victim, query)).toEqual(refused("invalid"));
  });

  it("is not signed in by a code of the attacker (code injection)", async () => {
    for (const defense of ["PKCE", "nonce"]) {
      const code = fake.signsIn(await begun(new Browser(http.main))).get("code") ?? "";
      const victim = new Browser(http.main);
      const url = await begun(victim);
      const query = fake.signsIn(url);
      query.set("code", code);
      const nonce = new URL(url).searchParams.get("nonce");
      fake.twist = defense === "PKCE" ? { claims: { nonce } } : { ignoresVerifier: true };
      expect(await outcome(victim, query), defense).toEqual(refused("invalid"));
    }
  });

  it("cannot be made to begin a sign-in by another site", async () => {
    const headers = { "x-lessor-console": null, "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    const seen = await new Browser(http.main).ask("POST", "/console/sign-in/fake", { headers, body: {} });
    expect([seen.status, seen.headers["set-cookie"]]).toEqual([400, undefined]);
  });
});

describe("another site", () => {
  it("cannot keep the people behind an address out, by what it makes a browser open", async () => {
    const limits = { ...http.config.limits, failedAuthenticationsPerMinutePerAddress: 3 };
    const strict = await startHttp(world, { config: { ...http.config, limits } });
    const browser = new Browser(strict.main);
    for (let n = 0; n < 5; n++) await callback(browser, new URLSearchParams({ code: "x", state: "y" }));
    expect((await browser.ask("POST", "/console/sign-in/fake", { body: {} })).status).toBe(200);
    await strict.close();
  });
});

describe("a response", () => {
  it("is not accepted twice (replay), also by two servers at once", async () => {
    const browser = new Browser(http.main);
    const query = fake.signsIn(await begun(browser));
    const copies = [1, 2, 3].map(() => Object.assign(new Browser(http.main), { signInCookie: browser.signInCookie }));
    const all = await Promise.all(copies.map((copy) => callback(copy, query)));
    expect(all.map(({ headers }) => headers.location).toSorted()).toEqual([
      "/sign-in#failed=expired",
      "/sign-in#failed=expired",
      "/usage",
    ]);
  });

  it("is not accepted after ten minutes", async () => {
    const browser = new Browser(http.main);
    const query = fake.signsIn(await begun(browser));
    await travel(world.db, "10 minutes 1 second");
    expect(await outcome(browser, query)).toEqual(refused("expired"));
  });

  it("of one provider is not accepted for another (mix-up)", async () => {
    const browser = new Browser(http.main);
    const query = fake.signsIn(await begun(browser, { id: "fake" }));
    expect(await outcome(browser, query, "evil")).toEqual(refused("expired"));
    const mixed = new Browser(http.main);
    const atHonest = fake.signsIn(await begun(mixed, { id: "evil" }));
    const before = evil.requests.length;
    expect(await outcome(mixed, atHonest, "evil")).toEqual(refused("invalid"));
    // The code of the honest provider never got to the other one.
    expect(evil.requests.slice(before)).not.toContain("/token");
  });

  it.each([
    ["without state", (query: URLSearchParams) => query.delete("state")],
    ["with another state", (query: URLSearchParams) => query.set("state", "x".repeat(43))],
    ["without issuer", (query: URLSearchParams) => query.delete("iss")],
    ["with another issuer", (query: URLSearchParams) => query.set("iss", "https://evil.example")],
    ["without code", (query: URLSearchParams) => query.delete("code")],
  ])("%s is not accepted", async (_, change) => {
    const browser = new Browser(http.main);
    const query = fake.signsIn(await begun(browser));
    change(query);
    expect(await outcome(browser, query)).toEqual(refused("invalid"));
  });

  it("that says that the person refused signs no one in", async () => {
    const browser = new Browser(http.main);
    const query = fake.signsIn(await begun(browser));
    query.delete("code");
    query.set("error", "access_denied");
    expect(await outcome(browser, query)).toEqual(refused("denied"));
  });
});

describe("an ID token", () => {
  const now = () => Math.floor(Date.now() / 1000);
  const twists: Record<string, () => Twist> = {
    "with another nonce": () => ({ claims: { nonce: "x".repeat(43) } }),
    "without a nonce": () => ({ claims: { nonce: undefined } }),
    "for another client": () => ({ claims: { aud: "other" } }),
    "of another issuer": () => ({ claims: { iss: "https://evil.example" } }),
    "that has expired": () => ({ claims: { exp: now() - 60 } }),
    "from the future": () => ({ claims: { iat: now() + 600, nbf: now() + 600 } }),
    "without a signature": () => ({ header: { alg: "none" } }),
    "signed with a key that is not the provider's": () => ({ foreignKey: true }),
    "signed with the client secret": () => ({ header: { alg: "HS256" } }),
    "that is missing": () => ({ noIdToken: true }),
  };
  it.each(Object.entries(twists))("%s signs no one in", async (_, twist) => {
    const browser = new Browser(http.main);
    const query = fake.signsIn(await begun(browser));
    fake.twist = twist();
    expect(await outcome(browser, query)).toEqual(refused("invalid"));
  });

  it("is accepted with clocks that differ by seconds", async () => {
    for (const claims of [{ exp: now() - 20 }, { nbf: now() + 20 }]) {
      const browser = new Browser(http.main);
      const query = fake.signsIn(await begun(browser));
      fake.twist = { claims };
      expect(await outcome(browser, query)).toEqual([303, "/usage", true]);
    }
  });
});

describe("an address that a provider says", () => {
  /** Both providers give unknown people a team; the second one is trusted with addresses. */
  async function served(isFirstTrusted: boolean) {
    const first = fake.settings({ id: "fake", linkByEmail: isFirstTrusted });
    const signIn = {
      url: "https://console.example",
      providers: [first, evil.settings({ id: "evil", linkByEmail: true })],
    };
    return startHttp(world, { config: { signIn } });
  }
  async function personAt(server: RunningHttp, id: "fake" | "evil", user: FakeProvider["user"]) {
    const provider = id === "fake" ? fake : evil;
    provider.user = user;
    const browser = new Browser(server.main);
    const { body } = await browser.ask("POST", `/console/sign-in/${id}`, { body: {} });
    await callback(browser, provider.signsIn((body as { data: { url: string } }).data.url), id);
    const own = await browser.ask("GET", account);
    return (own.body as { data: { person: { id: string; name: string; email: string } } }).data.person;
  }

  it("gives no one the person of who owns it, nor its owner the person of who made it up", async () => {
    const server = await served(false);
    for (const isVerified of [false, true]) {
      const email = `${world.fresh("victim")}@corp.test`;
      const made = { sub: world.fresh("attacker"), email, email_verified: isVerified };
      const attacker = await personAt(server, "fake", made);
      const victim = await personAt(server, "evil", { sub: world.fresh("victim"), email, email_verified: true });
      expect(victim.id).not.toBe(attacker.id);
    }
    await server.close();
  });

  it("leads from one trusted provider to the person of another, if both verified it", async () => {
    const server = await served(true);
    const email = `${world.fresh("person")}@corp.test`;
    const unverified = await personAt(server, "fake", { sub: world.fresh("one"), email });
    const one = await personAt(server, "evil", { sub: world.fresh("one"), email, email_verified: true });
    expect(one.id).not.toBe(unverified.id);
    const other = await personAt(server, "fake", { sub: world.fresh("two"), email, email_verified: true });
    expect(other.id).toBe(one.id);
    await server.close();
  });

  it("is kept only if emails can be sent to it, and names only as one line that can be shown", async () => {
    const server = await served(false);
    const seen = async (user: object) => {
      const { name, email } = await personAt(server, "fake", { sub: world.fresh("odd"), ...user });
      return [name, email];
    };
    expect(await seen({ name: "A\u0000\u001b[2J\u202eda", email: "x@y.test\r\nBcc: z@z.test" })).toEqual([
      "A [2J da",
      "",
    ]);
    expect(await seen({ name: `${"x".repeat(63)}\u{1f600}y`, email: "ada@y.test" })).toEqual([
      `${"x".repeat(63)}\u{1f600}`,
      "ada@y.test",
    ]);
    expect(await seen({ name: ["x"], email: { a: 1 } })).toEqual(["Person", ""]);
    for (const sub of ["", "x\u0000", "x".repeat(256)]) {
      const browser = new Browser(http.main);
      const query = fake.signsIn(await begun(browser));
      fake.user = { sub };
      expect(await outcome(browser, query)).toEqual(refused("invalid"));
    }
    await server.close();
  });
});

describe("a sign-in at a provider", () => {
  it("leads to no other site (open redirect)", async () => {
    for (const returnTo of [
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "/.//evil.example",
      "/usage/..//evil.example",
      "/\t/evil.example",
      "evil",
      "",
    ]) {
      const browser = new Browser(http.main);
      const query = fake.signsIn(await begun(browser, { returnTo }));
      expect(await outcome(browser, query), returnTo).toEqual([303, "/", true]);
    }
  });

  it("has a new session, and ends the one of the browser (session fixation)", async () => {
    const planted = new Browser(http.main);
    await planted.signIn((await http.customer()).token);
    const victim = Object.assign(new Browser(http.main), { cookie: planted.cookie });
    await callback(victim, fake.signsIn(await begun(victim)));
    expect(victim.cookie).not.toBe(planted.cookie);
    expect((await planted.ask("GET", account)).status).toBe(401);
  });

  it("leaves neither codes nor secrets in the log", async () => {
    const browser = new Browser(http.main);
    const query = fake.signsIn(await begun(browser));
    fake.twist = { claims: { aud: "other" } };
    await callback(browser, query);
    const text = lines.join("");
    expect(text).toContain("sign-in at a provider failed");
    for (const secret of [query.get("code"), query.get("state"), fake.user.email]) expect(text).not.toContain(secret);
  });

  it("does not follow the provider elsewhere with its code", async () => {
    const browser = new Browser(http.main);
    const query = fake.signsIn(await begun(browser));
    fake.twist = { redirectTo: `${evil.issuer}/token` };
    const before = evil.requests.length;
    expect((await outcome(browser, query))[2]).toBe(false);
    expect(evil.requests.slice(before)).toEqual([]);
  });

  it("that responds with too much, or nonsense, signs no one in", async () => {
    for (const twist of [{ padding: 300_000 }, { raw: "{" }, { raw: '{"access_token":1}' }]) {
      const browser = new Browser(http.main);
      const query = fake.signsIn(await begun(browser));
      fake.twist = twist;
      const [status, , isSignedIn] = await outcome(browser, query);
      expect([status, isSignedIn]).toEqual([303, false]);
    }
  });
});
