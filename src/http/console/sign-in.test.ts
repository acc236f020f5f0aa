// Signing in to the console by a link that is sent by email: what it takes, what it opens, and what attackers get.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser, exchange, type Headers } from "../../../test/support/console.ts";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { personIn } from "../../../test/support/people.ts";
import { requestedLink, shownLinks, signedIn, useLink } from "../../../test/support/sign-in.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { changeAccount } from "../../rental/accounts/account-store.ts";
import { countLinkRequest } from "../../rental/people/sign-in-links.ts";
import type { TeamRole } from "../../rules/roles.ts";
import { signInLinks } from "../../rules/sign-in.ts";

let world: World;
let http: RunningHttp;
const links = shownLinks();
const lines: string[] = [];
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world, { demoLinks: links.demoLinks, log: { write: (line) => void lines.push(line) } });
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

const account = "/control/v1/account";
const linkPath = "/console/sign-in/link";

async function person(role: TeamRole = "member", email?: string) {
  const { accountId } = await world.account();
  return { accountId, ...(await personIn(world, accountId, role, email === undefined ? {} : { email })) };
}

const codeOf = (body: unknown) => (body as { error: { code: string } }).error.code;
const dataOf = <T>({ body }: { body: unknown }) => (body as { data: T }).data;

describe("a sign-in link", () => {
  it("signs in the person of the address and no one else, with the rights of the role", async () => {
    const ada = await person("billing");
    const browser = new Browser(http.main);
    const secret = await requestedLink(browser, links, ada.email.toUpperCase());
    const seen = await useLink(browser, secret);
    expect(seen.status, seen.text).toBe(200);
    expect(seen.body).toMatchObject({
      data: { account: { id: ada.accountId, person: { id: ada.id, role: "billing" } } },
    });
    const own = dataOf<{ id: string; person: object; token: object }>(await browser.ask("GET", account));
    expect(own).toMatchObject({ id: ada.accountId, person: { id: ada.id }, token: { scopes: ["read", "write"] } });
    const key = await browser.ask("POST", "/control/v1/file-systems", { body: { name: "x" } });
    expect([key.status, codeOf(key.body)]).toEqual([403, "global/forbidden"]);
  });

  it("works once, also for two at once", async () => {
    const { email } = await person();
    const browser = new Browser(http.main);
    const secret = await requestedLink(browser, links, email);
    const others = [1, 2, 3].map(() => Object.assign(new Browser(http.main), { signInCookie: browser.signInCookie }));
    const statuses = (await Promise.all(others.map((other) => useLink(other, secret)))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409, 409]);
    expect((await useLink(browser, secret)).status).toBe(409);
  });

  it("ends after 15 minutes, and with a new request", async () => {
    const { email } = await person();
    const browser = new Browser(http.main);
    const replaced = await requestedLink(browser, links, email);
    const late = await requestedLink(browser, links, email);
    expect((await useLink(browser, replaced)).status).toBe(409);
    await travel(world.db, "15 minutes 1 second");
    const seen = await useLink(browser, late);
    expect([seen.status, seen.headers["set-cookie"]]).toEqual([409, undefined]);
  });

  it("opens nothing for a person who was removed, an inactive account or one that turned such emails off", async () => {
    const { accountId, email, id } = await person();
    const attempts = async () => {
      const browser = new Browser(http.main);
      const secret = await requestedLink(browser, links, email);
      return async () => (await useLink(browser, secret)).status;
    };
    for (const [end, back] of [
      [{ status: "inactive" }, { status: "active" }],
      [{ disabledEmails: ["sign_in"] }, { disabledEmails: [] }],
    ] as const) {
      const attempt = await attempts();
      await world.tx((tx) => changeAccount(tx, accountId, end as Parameters<typeof changeAccount>[2]));
      expect(await attempt()).toBe(409);
      await world.tx((tx) => changeAccount(tx, accountId, back as Parameters<typeof changeAccount>[2]));
    }
    const attempt = await attempts();
    await world.db.deleteFrom("memberships").where("person_id", "=", id).execute();
    expect(await attempt()).toBe(409);
  });

  it("is stored as a hash, and never logged", async () => {
    const { email } = await person();
    const secret = await requestedLink(new Browser(http.main), links, email);
    expect(JSON.stringify(await world.db.selectFrom("sign_in_links").selectAll().execute())).not.toContain(secret);
    await useLink(new Browser(http.main), secret, email);
    expect(lines.join("")).toContain("/console/sign-in");
    expect(lines.join("")).not.toContain(secret);
    expect(lines.join("")).not.toContain(email);
  });

  it("is no token and no session", async () => {
    const secret = await requestedLink(new Browser(http.main), links, (await person()).email);
    const authorization = `Bearer ${secret}`;
    expect((await exchange("GET", http.main + account, { authorization })).status).toBe(401);
    const posted = await new Browser(http.main).ask("POST", "/console/session", { body: { token: secret } });
    expect(posted.status).toBe(401);
  });

  it("is in the audit log of the team, with the person", async () => {
    const { email, id, token } = await person("owner");
    const browser = await signedIn(http, links, email);
    await browser.signOut();
    const entries = dataOf<{ operation: string; person: { id: string } | null }[]>(
      await http.call("GET", `${http.control}/audit-log`, { token }),
    );
    const seen = entries.filter(({ operation }) => operation.startsWith("sign"));
    expect(seen.map(({ operation }) => operation).toSorted()).toEqual(["signInByLink", "signOut"]);
    expect(seen.map((entry) => entry.person?.id)).toEqual([id, id]);
  });

  it("is not offered where no email is configured", async () => {
    const without = await startHttp(world);
    try {
      const browser = new Browser(without.main);
      expect(dataOf(await browser.ask("GET", "/console/sign-in"))).toEqual({
        links: false,
        providers: [],
        control_url: "/control/v1",
      });
      expect((await browser.ask("POST", linkPath, { body: { email: "a@example.com" } })).status).toBe(409);
    } finally {
      await without.close();
    }
  });
});

describe("a request for a link", () => {
  it("is responded to alike for known and unknown addresses, and stores nothing of unknown ones", async () => {
    const { email } = await person();
    const answers = [];
    for (const address of [email, world.fresh("unknown@example")]) {
      const { status, headers, text } = await new Browser(http.main).ask("POST", linkPath, {
        body: { email: address },
      });
      const cookie = headers["set-cookie"]?.map((set) => set.replace(/=[\w-]{43};/, "=…;"));
      answers.push({ status, text, cookie, names: Object.keys(headers).toSorted() });
    }
    expect(answers[0]).toMatchObject({ status: 200, text: '{"data":{}}' });
    expect(answers[1]).toEqual(answers[0]);
    const stored = await world.db
      .selectFrom("sign_in_links")
      .select("email")
      .where("email", "like", "unknown%")
      .execute();
    expect(stored).toEqual([]);
  });

  it("is limited for an address, known or not, on all servers together, and no other address with it", async () => {
    const second = await startHttp(world, { demoLinks: links.demoLinks });
    try {
      for (const email of [(await person()).email, `${world.fresh("unknown")}@example.com`]) {
        const ask = (server: RunningHttp) => new Browser(server.main).ask("POST", linkPath, { body: { email } });
        const statuses = [];
        for (const server of [http, second, http, second, http, second, http])
          statuses.push((await ask(server)).status);
        expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
        expect((await ask(http)).body).toMatchObject({ error: { code: "global/rate-limited" } });
      }
      await travel(world.db, "1 hour");
      expect((await new Browser(http.main).ask("POST", linkPath, { body: { email: "b@example.com" } })).status).toBe(
        200,
      );
    } finally {
      await second.close();
    }
  });

  it("is limited for a client", async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 31; n++) {
      const body = { email: `${world.fresh("many")}@example.com` };
      statuses.push((await new Browser(http.main).ask("POST", linkPath, { body })).status);
    }
    expect(statuses.at(-1)).toBe(429);
    await travel(world.db, "1 hour");
  });

  it("of one client, beyond its limit, uses up nothing of others, and stores nothing", async () => {
    const stored = async () =>
      (
        await sql<{ n: number }>`
      select count(*)::integer as n from sign_in_requests`.execute(world.db)
      ).rows[0]?.n;
    const ada = await person();
    const ask = (email: string) => new Browser(http.main).ask("POST", linkPath, { body: { email } });
    for (let n = 0; n < signInLinks.perClient; n++) await ask(`${world.fresh("many")}@example.com`);
    const before = await stored();
    for (let n = 0; n < 5; n++) {
      expect((await ask(ada.email)).status).toBe(429);
      expect((await ask(`${world.fresh("many")}@example.com`)).status).toBe(429);
    }
    expect(await stored()).toBe(before);
    // The address of the flooded person is asked from elsewhere.
    const client = { email: ada.email, client: "192.0.2.1" };
    expect(await world.tx((tx) => countLinkRequest(tx, client))).toBeUndefined();
    await travel(world.db, "1 hour");
  });
});

describe("an attacker", () => {
  it("cannot sign a person in as another one: a link from elsewhere has to be confirmed with its address", async () => {
    const attacker = await person();
    const planted = await requestedLink(new Browser(http.main), links, attacker.email);
    const victim = await signedIn(http, links, (await person()).email);
    const before = victim.cookie;
    for (const email of [undefined, "other@example.com"]) {
      const seen = await useLink(victim, planted, email);
      expect([seen.status, seen.body, seen.headers["set-cookie"]]).toEqual([
        200,
        { data: { confirm: attacker.email } },
        undefined,
      ]);
    }
    expect(victim.cookie).toBe(before);
    const confirmed = await useLink(victim, planted, attacker.email);
    expect(confirmed.body).toMatchObject({ data: { account: { id: attacker.accountId } } });
  });

  it("cannot fix the session: it is new at sign-in, and the browser's previous one is over", async () => {
    const planted = await signedIn(http, links, (await person()).email);
    const victim = new Browser(http.main);
    victim.cookie = planted.cookie;
    const own = await person();
    await useLink(victim, await requestedLink(victim, links, own.email));
    expect(victim.cookie).not.toBe(planted.cookie);
    expect((await planted.ask("GET", account)).status).toBe(401);
    expect((await victim.ask("GET", account)).body).toMatchObject({ data: { id: own.accountId } });
  });

  const foreign: Record<string, Headers> = {
    "a form post": { "x-lessor-console": null, "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    "a script of another origin": { origin: "https://evil.example", "sec-fetch-site": null },
    "another host of this domain": { "sec-fetch-site": "same-site" },
  };
  it.each(Object.entries(foreign))(
    "cannot have a browser request or use a link from another site: %s",
    async (_, headers) => {
      const browser = new Browser(http.main);
      const { email } = await person();
      const secret = await requestedLink(browser, links, email);
      const asked = await browser.ask("POST", linkPath, { headers, body: { email } });
      const used = await browser.ask("POST", "/console/sign-in", { headers, body: { secret, email } });
      expect([asked.status, used.status, browser.cookie]).toEqual([400, 400, undefined]);
    },
  );

  it("cannot choose the address that a link leads to", async () => {
    const { email } = await person();
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example", origin: "http://evil.example" };
    const before = links.all.length;
    await new Browser(http.main).ask("POST", linkPath, { headers, body: { email } });
    await expect.poll(() => links.all.length).toBe(before + 1);
    expect(links.all.at(-1)).toMatch(/^https:\/\/console\.example\//);
  });

  it("cannot try out secrets", async () => {
    const limits = { ...http.config.limits, failedAuthenticationsPerMinutePerAddress: 3 };
    const strict = await startHttp(world, { demoLinks: links.demoLinks, config: { limits } });
    try {
      const statuses = [];
      for (let n = 0; n < 4; n++) statuses.push((await useLink(new Browser(strict.main), `lessor_signin_${n}`)).status);
      expect(statuses).toEqual([409, 409, 409, 429]);
    } finally {
      await strict.close();
    }
  });
});
