// What somebody else may try with the cookie of a person who is signed in to the console, over real HTTP.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Browser, exchange, type Headers } from "../../../test/support/console.ts";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { loadConfig } from "../../config.ts";

let world: World;
let http: RunningHttp;
const lines: string[] = [];

beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world, { log: { write: (line) => void lines.push(line) } });
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

const account = "/control/v1/account";
const session = "/console/session";
let customer: Awaited<ReturnType<RunningHttp["customer"]>>;
let browser: Browser;
beforeEach(async () => {
  customer = await http.customer();
  browser = new Browser(http.main);
  await browser.signIn(customer.token);
});

const tokensOf = async () => {
  const { body } = await http.call("GET", `${http.control}/tokens`, { token: customer.token });
  return (body as { data: { revoked_at: string | null }[] }).data;
};

describe("another site that has the browser send the cookie", () => {
  const order = { name: "stolen", scopes: ["read"] };
  const attacks: Record<string, Headers> = {
    "a form post": {
      "x-lessor-console": null,
      "sec-fetch-site": "cross-site",
      origin: "https://evil.example",
      "content-type": "application/x-www-form-urlencoded",
    },
    "a form post of a browser that says nothing of its page": { "x-lessor-console": null, "sec-fetch-site": null },
    "a form post whose page hides itself": { "x-lessor-console": null, "sec-fetch-site": null, origin: "null" },
    "a form with text in JSON": {
      "x-lessor-console": null,
      "content-type": "text/plain",
      "sec-fetch-site": "cross-site",
    },
    "a script that could set the header": { origin: "https://evil.example", "sec-fetch-site": null },
    "another port of this host": { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" },
    "another host of this domain": { "sec-fetch-site": "same-site" },
    "a link that somebody clicks": { "x-lessor-console": null, "sec-fetch-site": "none" },
    "a page of this origin, without the header": { "x-lessor-console": null },
    "the header with another value": { "x-lessor-console": "yes" },
  };

  it.each(Object.entries(attacks))("changes nothing and reads nothing: %s", async (_name, headers) => {
    const post = await browser.ask("POST", "/control/v1/tokens", { headers, body: order });
    const read = await browser.ask("GET", account, { headers });
    const who = await browser.ask("GET", session, { headers });
    expect([post.status, read.status, who.status]).toEqual([401, 401, 401]);
    expect(read.text).not.toContain(customer.principal.accountId);
    expect(await tokensOf()).toHaveLength(1);
  });

  it.each(Object.entries(attacks))(
    "signs nobody out, and nobody in with a token of its own: %s",
    async (_name, headers) => {
      const stranger = await http.customer();
      const signIn = await browser.ask("POST", session, { headers, body: { token: stranger.token } });
      expect([signIn.status, signIn.headers["set-cookie"]]).toEqual([400, undefined]);
      const signOut = await browser.ask("DELETE", session, { headers });
      expect([signOut.status, signOut.headers["set-cookie"]]).toEqual([400, undefined]);
      expect((await browser.ask("GET", account)).body).toMatchObject({ data: { id: customer.principal.accountId } });
    },
  );

  it("gets no leave to send the header, nor to read anything", async () => {
    const headers = {
      origin: "https://evil.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-lessor-console",
    };
    for (const path of ["/control/v1/tokens", session]) {
      const preflight = await exchange("OPTIONS", http.main + path, headers);
      const answer = await browser.ask("GET", path, { headers });
      for (const seen of [preflight, answer])
        expect(Object.keys(seen.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });
});

describe("a session that somebody else knows", () => {
  it("is never taken over by signing in, and is over then", async () => {
    const planted = browser.cookie;
    const victim = new Browser(http.main);
    victim.cookie = planted;
    const { token, principal } = await http.customer();
    await victim.signIn(token);
    expect(victim.cookie).not.toBe(planted);
    expect((await victim.ask("GET", account)).body).toMatchObject({ data: { id: principal.accountId } });
    expect((await browser.ask("GET", account)).status).toBe(401);
  });

  it("cannot be made up before: a cookie of one's own choice opens nothing, also after somebody signed in with it", async () => {
    const chosen = `lessor_console=${"A".repeat(43)}`;
    const victim = new Browser(http.main);
    victim.cookie = chosen;
    await victim.signIn(customer.token);
    expect(victim.cookie).not.toBe(chosen);
    const attacker = new Browser(http.main);
    attacker.cookie = chosen;
    expect((await attacker.ask("GET", account)).status).toBe(401);
  });

  it("cannot be slipped in beside the person's own", async () => {
    const other = new Browser(http.main);
    await other.signIn((await http.customer()).token);
    for (const cookie of [`${other.cookie}; ${browser.cookie}`, `${browser.cookie}; ${other.cookie}`])
      expect((await browser.ask("GET", account, { headers: { cookie } })).status).toBe(401);
  });

  it("is of no use after signing out", async () => {
    const stolen = new Browser(http.main);
    stolen.cookie = browser.cookie;
    await browser.signOut();
    expect((await stolen.ask("GET", account)).status).toBe(401);
    expect((await stolen.ask("GET", session)).status).toBe(401);
  });
});

describe("the cookie", () => {
  it("is out of reach of scripts and other sites, and ends by itself", async () => {
    const { headers } = await new Browser(http.main).ask("POST", session, { body: { token: customer.token } });
    const [cookie = "", ...others] = headers["set-cookie"] ?? [];
    expect(others).toEqual([]);
    expect(cookie).toMatch(/^lessor_console=[\w-]{43}; Max-Age=4(3199|3200|3198); Path=\/; HttpOnly; SameSite=Strict$/);
  });

  it("counts for nothing on the other interfaces, metrics and agents' tools, whatever else comes with it", async () => {
    const paths = [
      ...["/api/vm_marketplace/ssh-keys", "/api/v1/instance", "/reference/instances", "/metrics"],
      `${http.reference}/instances`,
      `${http.lambda}/instances`,
    ];
    for (const path of paths) {
      const url = path.startsWith("http") ? path : http.main + path;
      const headers = { cookie: browser.cookie ?? "", "x-lessor-console": "1", "sec-fetch-site": "same-origin" };
      expect((await exchange("GET", url, headers)).status, path).toBe(401);
    }
    const agent = await browser.ask("POST", "/mcp", { body: { jsonrpc: "2.0", id: 1, method: "ping" } });
    expect(agent.status).toBe(401);
  });

  it("counts on the port of the control interface only", async () => {
    const reference = new URL(http.reference);
    for (const path of [session, account])
      expect((await exchange("GET", new URL(path, reference).href, { cookie: browser.cookie ?? "" })).status).toBe(404);
  });

  it.each(["Basic", "Bearer"])("is no token: %s", async (scheme) => {
    const { secret } = browser;
    const authorization = scheme === "Basic" ? `Basic ${btoa(`${secret}:`)}` : `Bearer ${secret}`;
    expect((await exchange("GET", http.main + account, { authorization })).status).toBe(401);
  });

  it("holds no token: a token in it opens nothing", async () => {
    const cookie = `lessor_console=${customer.token}`;
    expect((await browser.ask("GET", account, { headers: { cookie } })).status).toBe(401);
  });
});

describe("a token in a URL", () => {
  it("is taken nowhere", async () => {
    const { token } = customer;
    for (const query of [`token=${token}`, `access_token=${token}`, `api_key=${token}`]) {
      const paths = [`/control/v1/account?${query}`, `${session}?${query}`, `/control/v1/events/stream?${query}`];
      for (const path of paths) {
        const headers = { "x-lessor-console": "1", accept: "text/event-stream" };
        expect((await exchange("GET", http.main + path, headers)).status, path).toBe(401);
      }
      const signIn = await new Browser(http.main).ask("POST", `${session}?${query}`, { body: {} });
      expect([signIn.status, signIn.headers["set-cookie"]]).toEqual([400, undefined]);
    }
  });
});

describe("the log", () => {
  it("has neither token nor cookie", async () => {
    await browser.ask("POST", session, { body: { token: "lessor_wrong_0123456789" } });
    await browser.ask("GET", `${account}?token=${customer.token}`);
    const text = lines.join("");
    expect(text).toContain("/console/session");
    for (const secret of [customer.token, browser.secret, "lessor_wrong_0123456789"])
      expect(text).not.toContain(secret);
  });
});

describe("guessing", () => {
  it("is told to wait, at sign-in and with cookies alike, while a person who is signed in there goes on", async () => {
    const { limits } = loadConfig({ env: {}, cwd: import.meta.dirname });
    const strict = { ...limits, failedAuthenticationsPerMinutePerAddress: 5 };
    const careful = await startHttp(world, { config: { limits: strict } });
    try {
      const person = new Browser(careful.main);
      await person.signIn(customer.token);
      const guess = (n: number) =>
        n % 2 === 0
          ? new Browser(careful.main).ask("POST", session, { body: { token: `lessor_guess${n}` } })
          : exchange("GET", careful.main + account, {
              cookie: `lessor_console=${`${n}`.padStart(43, "x")}`,
              "x-lessor-console": "1",
            });
      const statuses: number[] = [];
      for (let n = 0; n < 9; n++) statuses.push((await guess(n)).status);
      expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
      // One in a while is looked up all the same, for a person who comes anew.
      expect(statuses.slice(5).filter((status) => status === 429).length).toBeGreaterThanOrEqual(3);
      expect((await person.ask("GET", account)).status).toBe(200);
      expect((await person.signIn(customer.token)).status).toBe(200);
    } finally {
      await careful.close();
    }
  });
});

describe("behind a proxy that ends https", () => {
  let behind: RunningHttp;
  beforeAll(async () => {
    behind = await startHttp(world, { config: { trustedProxies: ["127.0.0.1"] } });
  });
  afterAll(() => behind?.close());

  const proxied = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9", host: "console.example" };

  it("the cookie is never sent by http, and set by no other host of the domain", async () => {
    const person = new Browser(behind.main, { ...proxied, origin: "https://console.example" });
    const { headers } = await person.signIn(customer.token);
    expect(headers["set-cookie"]?.[0]).toMatch(/^__Host-lessor_console=[\w-]{43}; .*; SameSite=Strict; Secure$/);
    expect((await person.ask("GET", account)).status).toBe(200);
    const cookie = person.cookie?.replace("__Host-", "") ?? "";
    expect((await person.ask("GET", account, { headers: { cookie } })).status).toBe(401);
    for (const origin of ["http://console.example", "https://evil.console.example"])
      expect((await person.ask("GET", account, { headers: { origin } })).status, origin).toBe(401);
  });

  it("a proxy that changes the Host header says what it was", async () => {
    const person = new Browser(behind.main, {
      ...proxied,
      host: "backend:8080",
      "x-forwarded-host": "console.example",
      origin: "https://console.example",
    });
    await person.signIn(customer.token);
    expect((await person.ask("GET", account)).status).toBe(200);
  });

  it("what a client says of itself counts for nothing where no proxy is trusted", async () => {
    const { headers } = await browser.ask("POST", session, {
      headers: { "x-forwarded-proto": "https" },
      body: { token: customer.token },
    });
    expect(headers["set-cookie"]?.[0]).not.toContain("Secure");
    const evil = { "x-forwarded-host": "evil.example", origin: "http://evil.example" };
    expect((await browser.ask("GET", account, { headers: evil })).status).toBe(401);
  });
});
