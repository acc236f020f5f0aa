// Whether a person who was disabled at an OpenID Connect provider loses access, with tokens, streams and terminals, on every
// replica; and what becomes of everyone else when providers do not respond or replicas die. Against a real provider.

import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createConfirmations } from "../../src/http/console/providers.ts";
import { createLog } from "../../src/log.ts";
import { startConfirmations } from "../../src/reconciler/confirmations.ts";
import { type FailpointRunner, noFailpoints } from "../../src/reconciler/failpoints.ts";
import { readAccount } from "../../src/rental/accounts/account-store.ts";
import { createToken } from "../../src/rental/accounts/token-store.ts";
import type { SignInProvider } from "../../src/rules/sign-in-providers.ts";
import { Browser } from "../support/console.ts";
import { openStream } from "../support/event-source.ts";
import { startHttp } from "../support/http.ts";
import { type RealProvider, startRealProvider } from "../support/real-provider.ts";
import { startServer } from "../support/server.ts";
import { terminalsOfFile } from "../support/terminals-fixture.ts";
import { travel } from "../support/time-travel.ts";
import { afterTest } from "../support/when-over.ts";

const fixture = terminalsOfFile();
const url = "https://console.example";
let real: RealProvider;
let plain: RealProvider;
beforeAll(async () => {
  const redirect = `${url}/console/sign-in/real/callback`;
  real = await startRealProvider(redirect, { refreshTokens: true });
  plain = await startRealProvider(redirect);
});
afterAll(() => {
  real?.close();
  plain?.close();
});

beforeEach(async () => {
  real.isDown = false;
  // Of earlier tests: each replica confirms all people of a provider.
  await sql`delete from identities`.execute(fixture.world.db);
});

/** A server, a replica that confirms when it is poked, and a person in the team by a group, with a token. */
async function served(provider: RealProvider = real, more: Partial<SignInProvider> = {}) {
  const { world } = fixture;
  const account = (await world.account()).accountId;
  const { name } = await readAccount(world.db, account);
  const groups = [
    { group: "staff", account: name, role: "member" as const },
    { group: "lesser", account: name, role: "viewer" as const },
  ];
  const signIn = { url, providers: [provider.settings({ groups, ...more })] };
  await fixture.start({}, { config: { signIn }, streams: { checkMs: 50 } });
  const { http } = fixture;
  const login = world.fresh("subject");
  provider.people.set(login, { groups: ["staff"] });
  async function signedIn(): Promise<Browser & { location: string | undefined }> {
    const browser = new Browser(http.main);
    const { body } = await browser.ask("POST", "/console/sign-in/real", { body: {} });
    const query = await provider.signsIn((body as { data: { url: string } }).data.url, login);
    const { headers } = await browser.ask("GET", `/console/sign-in/real/callback?${query}`);
    return Object.assign(browser, { location: headers.location });
  }
  const browser = await signedIn();
  const own = await browser.ask("GET", "/control/v1/account");
  expect(own.status, `${own.text} ${browser.location}`).toBe(200);
  const { person } = (own.body as { data: { person: { id: string } } }).data;
  const token = async (personId: string | null) =>
    (
      await world.tx((tx) =>
        createToken(tx, {
          accountId: account,
          name: world.fresh("t"),
          scopes: ["read", "write"],
          personId,
          expiresAt: null,
        }),
      )
    ).token;
  const [personal, ofTeam] = [await token(person.id), await token(null)];
  const replica = (gate: FailpointRunner = noFailpoints) => {
    const confirmations = createConfirmations(signIn);
    if (confirmations === undefined) throw new Error("BUG: no provider");
    const { keyRing } = world.service;
    const log = createLog("silent");
    const running = startConfirmations({ db: world.db, confirmations, seconds: 3600, keyRing, log, gate });
    afterTest(() => running.stop());
    return running;
  };
  const status = async (of: string) => (await http.call("GET", `${http.control}/account`, { token: of })).status;
  const events = async () => {
    const { body } = await http.call("GET", `${http.control}/events`, { token: ofTeam });
    return (body as { data: { type: string }[] }).data
      .map(({ type }) => type)
      .filter((type) => type.startsWith("member."))
      .toSorted();
  };
  return { account, http, browser, login, person, personal, ofTeam, replica, status, events, signedIn };
}

describe("a person who was disabled at the provider", () => {
  it("loses sessions and tokens with the next refresh, within session_minutes, until the person signs in again", async () => {
    const { login, browser, replica, personal, ofTeam, status, http, events, signedIn } = await served();
    const confirming = replica();
    real.disabled.add(login);
    await travel(fixture.world.db, "31 minutes");
    expect(await status(personal)).toBe(200);
    await confirming.poke();
    const other = await startHttp(fixture.world);
    afterTest(() => other.close());
    for (const server of [http, other]) {
      const refused = await server.call("GET", `${server.control}/account`, { token: personal });
      expect([refused.status, refused.text]).toEqual([401, expect.stringContaining("Sign in again")]);
      expect((await server.call("GET", `${server.control}/account`, { token: ofTeam })).status).toBe(200);
    }
    expect((await browser.ask("GET", "/control/v1/account")).status).toBe(401);
    await expect.poll(events).toEqual(["member.joined", "member.suspended"]);
    real.disabled.delete(login);
    await confirming.poke();
    expect(await status(personal)).toBe(401);
    const again = await signedIn();
    expect(again.location).toBe("/");
    expect(await status(personal)).toBe(200);
    // The session from before stays ended.
    expect((await browser.ask("GET", "/control/v1/account")).status).toBe(401);
    await expect.poll(events).toEqual(["member.joined", "member.resumed", "member.suspended"]);
  });

  it("loses streams and terminals, and what runs stays, with the terminals of the team", async () => {
    const { login, person, http, replica } = await served();
    const accountId = fixture.customer.principal.accountId;
    await sql`insert into memberships (account_id, person_id, role) values (${accountId}, ${person.id}, 'member')`.execute(
      fixture.world.db,
    );
    const { token } = await fixture.world.tx((tx) =>
      createToken(tx, { accountId, name: "own", scopes: ["read", "write"], personId: person.id, expiresAt: null }),
    );
    const [own, ofTeam] = [await fixture.open(token), await fixture.open()];
    const stream = await openStream(`${http.control}/events/stream`, token);
    real.disabled.add(login);
    await travel(fixture.world.db, "31 minutes");
    await replica().poke();
    expect(await own.ended).toMatchObject({ code: 4001 });
    await expect.poll(() => stream.ended).toBe(true);
    expect(ofTeam.socket.readyState).toBe(ofTeam.socket.OPEN);
    const { body } = await http.call("GET", `${http.control}/instances`, { token: fixture.customer.token });
    expect(body).toMatchObject({ data: [{ id: fixture.instanceId, status: "active" }] });
  });

  it("cannot sign in by email either, nor begin anything in another team", async () => {
    const { login, person, replica, browser } = await served();
    real.disabled.add(login);
    await travel(fixture.world.db, "31 minutes");
    await replica().poke();
    const { teamsOf } = await import("../../src/rental/people/teams.ts");
    expect(await teamsOf(fixture.world.db, { personId: person.id })).toEqual([]);
    expect((await browser.ask("GET", "/control/v1/teams")).status).toBe(401);
  });
});

describe("a person of two providers", () => {
  it("signs in only when neither has ended the access", async () => {
    const { person, personal, status, signedIn } = await served();
    const { db } = fixture.world;
    await sql`insert into identities (issuer, subject, person_id) values ('https://other.example', 'x', ${person.id})`.execute(
      db,
    );
    expect(await status(personal)).toBe(401);
    expect((await signedIn()).location).toBe("/sign-in#failed=suspended");
    await sql`update identities set good_until = now() + interval '1 day'`.execute(db);
    expect((await signedIn()).location).toBe("/");
  });
});

describe("the service", () => {
  it("confirms people itself", async () => {
    const signIn = { url, providers: [real.settings({ signUp: true })] };
    const server = await startServer({ config: { signIn } });
    afterTest(() => server.close());
    const login = fixture.world.fresh("subject");
    const browser = new Browser(server.url);
    const { body } = await browser.ask("POST", "/console/sign-in/real", { body: {} });
    const query = await real.signsIn((body as { data: { url: string } }).data.url, login);
    await browser.ask("GET", `/console/sign-in/real/callback?${query}`);
    const status = async () => (await browser.ask("GET", "/control/v1/account")).status;
    real.disabled.add(login);
    await server.reconciler.idle();
    await travel(server.db, "31 minutes");
    expect(await status()).toBe(200);
    await server.reconciler.idle();
    expect(await status()).toBe(401);
  });
});

describe("a person whom the provider confirms", () => {
  it("keeps access for days, with a new refresh token each time, asked for by one replica at a time", async () => {
    const { replica, personal, status } = await served();
    const [one, two] = [replica(), replica()];
    for (let days = 0; days < 4; days++) {
      await travel(fixture.world.db, "20 hours");
      const before = real.tokenRequests();
      await Promise.all([one.poke(), two.poke()]);
      expect(real.tokenRequests()).toBe(before + 1);
      expect(await status(personal)).toBe(200);
    }
  });

  it("gets the roles of the groups, and loses the team with the last one", async () => {
    const { login, replica, personal, status, http, events } = await served();
    const confirming = replica();
    const role = async () => {
      const { body } = await http.call("GET", `${http.control}/account`, { token: personal });
      return (body as { data: { person: { role: string } } }).data.person.role;
    };
    real.people.set(login, { groups: ["lesser"] });
    await travel(fixture.world.db, "31 minutes");
    await confirming.poke();
    expect(await role()).toBe("viewer");
    await expect.poll(events).toEqual(["member.changed", "member.joined"]);
    real.people.set(login, { groups: [] });
    await travel(fixture.world.db, "31 minutes");
    await confirming.poke();
    expect(await status(personal)).toBe(401);
  });

  it("has a refresh token in the database that is encrypted", async () => {
    await served();
    const { rows } = await sql<{ refresh_sealed: string }>`
      select refresh_sealed from identities where refresh_sealed is not null`.execute(fixture.world.db);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row.refresh_sealed).toMatch(/^v\d/);
  });
});

describe("a provider that does not respond", () => {
  it("leaves people their access for the hours of the setting, and then until it confirms them", async () => {
    const { replica, personal, status, events } = await served(real, { unconfirmedHours: 5 });
    const confirming = replica();
    real.isDown = true;
    await travel(fixture.world.db, "4 hours 50 minutes");
    await confirming.poke();
    expect(await status(personal)).toBe(200);
    await travel(fixture.world.db, "15 minutes");
    expect(await status(personal)).toBe(401);
    await confirming.poke();
    await expect.poll(events).toEqual(["member.joined", "member.suspended"]);
    real.isDown = false;
    await travel(fixture.world.db, "2 minutes");
    // Another one: a failed discovery is tried again after ten seconds only.
    await replica().poke();
    expect(await status(personal)).toBe(200);
  });
});

describe("a provider without refresh tokens", () => {
  it("gives access for the hours of the setting after each sign-in", async () => {
    const { replica, personal, status, signedIn } = await served(plain);
    await travel(fixture.world.db, "23 hours 59 minutes");
    await replica().poke();
    expect(await status(personal)).toBe(200);
    await travel(fixture.world.db, "2 minutes");
    expect(await status(personal)).toBe(401);
    await signedIn();
    expect(await status(personal)).toBe(200);
  });
});

describe("a replica that dies", () => {
  it("before the provider is asked leaves the person to another", async () => {
    const { replica, personal, status } = await served();
    await travel(fixture.world.db, "31 minutes");
    await replica(async (point, pass) => {
      if (point === "identityRefreshed") throw new Error("killed");
      return pass();
    }).poke();
    await travel(fixture.world.db, "24 hours");
    expect(await status(personal)).toBe(401);
    await replica().poke();
    expect(await status(personal)).toBe(200);
  });

  it("after the provider replaced the token ends the access: the person signs in again", async () => {
    const { replica, personal, status, signedIn } = await served();
    await travel(fixture.world.db, "31 minutes");
    await replica(async (point, pass) => {
      const result = await pass();
      if (point === "identityRefreshed") throw new Error("killed");
      return result;
    }).poke();
    expect(await status(personal)).toBe(200);
    await travel(fixture.world.db, "2 minutes");
    await replica().poke();
    expect(await status(personal)).toBe(401);
    await signedIn();
    expect(await status(personal)).toBe(200);
  });
});

describe("a sign-in while the person is asked for", () => {
  it("decides: what the refresh came to is dropped", async () => {
    const { login, replica, personal, status, signedIn } = await served();
    await travel(fixture.world.db, "31 minutes");
    await replica(async (point, pass) => {
      if (point !== "identityRefreshed") return pass();
      real.disabled.add(login);
      const result = await pass();
      real.disabled.delete(login);
      await signedIn();
      return result;
    }).poke();
    expect(await status(personal)).toBe(200);
  });
});
