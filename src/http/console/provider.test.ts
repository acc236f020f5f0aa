// Signing in with OpenID Connect at a real provider: who is who, groups, and signing out.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Browser } from "../../../test/support/console.ts";
import { FakeProvider } from "../../../test/support/fake-provider.ts";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { personIn } from "../../../test/support/people.ts";
import { type RealProvider, startRealProvider } from "../../../test/support/real-provider.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { readAccount } from "../../rental/accounts/account-store.ts";
import { attemptsPerClient, type SignInProvider } from "../../rules/sign-in-providers.ts";

const url = "https://console.example";
let world: World;
let real: RealProvider;
const open: RunningHttp[] = [];
beforeAll(async () => {
  world = await makeWorld();
  real = await startRealProvider(`${url}/console/sign-in/real/callback`);
});
afterAll(async () => {
  for (const http of open) await http.close();
  real?.close();
  await world?.close();
});

const account = "/control/v1/account";
const dataOf = <T>({ body }: { body: unknown }) => (body as { data: T }).data;

async function served(...providers: readonly SignInProvider[]): Promise<RunningHttp> {
  const http = await startHttp(world, { config: { signIn: { url, providers } } });
  open.push(http);
  return http;
}

async function signIn(http: RunningHttp, login: string): Promise<Browser & { location?: string | undefined }> {
  const browser = new Browser(http.main);
  const begun = dataOf<{ url: string }>(await browser.ask("POST", "/console/sign-in/real", { body: {} }));
  const query = await real.signsIn(begun.url, login);
  const seen = await browser.ask("GET", `/console/sign-in/real/callback?${query}`);
  return Object.assign(browser, { location: seen.headers.location });
}

const own = async (browser: Browser) =>
  dataOf<{ id: string; contact_email: string | null; person: { id: string; role: string; email: string } }>(
    await browser.ask("GET", account),
  );
const teams = async (browser: Browser) =>
  dataOf<{ name: string; role: string }[]>(await browser.ask("GET", "/control/v1/teams"))
    .map(({ name, role }) => `${name} ${role}`)
    .toSorted();

const person = (claims: Record<string, unknown> = {}) => {
  const login = world.fresh("subject");
  real.people.set(login, { email: `${login}@example.com`, email_verified: true, name: "Ada", ...claims });
  return login;
};

describe("a person who is not known", () => {
  it("is not signed in, unless people may sign up: then with a team of their own, and the same one the next time", async () => {
    const login = person();
    const closed = await served(real.settings());
    const refused = await signIn(closed, login);
    expect([refused.location, refused.cookie]).toEqual(["/sign-in#failed=unknown", undefined]);
    const http = await served(real.settings({ signUp: true }));
    const [first, second] = [await own(await signIn(http, login)), await own(await signIn(http, login))];
    expect(first.person).toMatchObject({ role: "owner", email: `${login}@example.com` });
    expect([second.id, second.person.id]).toEqual([first.id, first.person.id]);
    // Also where people may not sign up any more.
    expect((await own(await signIn(closed, login))).id).toBe(first.id);
  });

  it("has a team with the limits and payment terms that the service gives new accounts", async () => {
    const quotas = { instances: 3, gpus: 2, vcpus: 8, sshKeys: 1, fileSystems: 4 };
    const terms = { paymentTerms: "prepaid", creditLineCents: null } as const;
    const defaults = { quotas, spendLimitCents: 700, maxLifetimeSeconds: 3600, terms, fileSystemGb: 1 };
    const http = await served(real.settings({ signUp: true }));
    const limited = await startHttp(world, { config: { ...http.config, defaults } });
    open.push(limited);
    expect(await own(await signIn(limited, person()))).toMatchObject({
      ...{ quotas: { instances: 3, gpus: 2, vcpus: 8, ssh_keys: 1, file_systems: 4 }, payment_terms: "prepaid" },
      ...{ spend_limit_cents: 700, max_lifetime_seconds: 3600, credit_line_cents: null },
    });
  });

  it("has a team whose emails go to the address of the person, if the provider verified it", async () => {
    const http = await served(real.settings({ signUp: true }));
    const [login, unverified] = [person(), person({ email_verified: false })];
    expect((await own(await signIn(http, login))).contact_email).toBe(`${login}@example.com`);
    expect((await own(await signIn(http, unverified))).contact_email).toBeNull();
  });

  it("is one person, also if two browsers sign in at once", async () => {
    const http = await served(real.settings({ signUp: true }));
    const login = person();
    const ids = await Promise.all(
      [signIn(http, login), signIn(http, login)].map(async (one) => (await own(await one)).person.id),
    );
    expect(ids[0]).toBe(ids[1]);
  });
});

describe("a person with the same address", () => {
  it("is that person only if the operator allows it and the provider verified the address", async () => {
    const { accountId } = await world.account();
    const known = await personIn(world, accountId, "member");
    const login = person({ email: known.email.toUpperCase() });
    const unverified = person({ email: known.email, email_verified: false });
    const [strict, linking] = [await served(real.settings()), await served(real.settings({ linkByEmail: true }))];
    expect((await signIn(strict, login)).location).toBe("/sign-in#failed=unknown");
    expect((await signIn(linking, unverified)).location).toBe("/sign-in#failed=unknown");
    expect((await own(await signIn(linking, login))).person.id).toBe(known.id);
    // From then on by issuer and subject, whatever the address is; and no second subject is the same person.
    real.people.set(login, { email: "other@example.com", email_verified: true });
    expect((await own(await signIn(strict, login))).person.id).toBe(known.id);
    expect((await signIn(linking, person({ email: known.email }))).location).toBe("/sign-in#failed=unknown");
  });
});

describe("groups", () => {
  it("give and take memberships and roles at each sign-in, but none of an invitation, nor the last owner", async () => {
    const [one, two, three] = [await world.account(), await world.account(), await world.account()];
    const [first, second, third] = await Promise.all(
      [one, two, three].map(async ({ accountId }) => (await readAccount(world.db, accountId)).name),
    );
    const groups = [
      { group: "admins", account: first ?? "", role: "admin" as const },
      { group: "staff", account: first ?? "", role: "member" as const },
      { group: "owners", account: second ?? "", role: "owner" as const },
      { group: "staff", account: third ?? "", role: "viewer" as const },
      { group: "staff", account: "no such account", role: "viewer" as const },
    ];
    const http = await served(real.settings({ groups }));
    const login = person({ groups: ["staff", "owners", "others"] });
    const browser = await signIn(http, login);
    expect(await teams(browser)).toEqual([`${first} member`, `${second} owner`, `${third} viewer`].toSorted());
    const token = (await own(browser)).person.id;
    await world.db
      .updateTable("memberships")
      .set({ provider: null })
      .where("account_id", "=", three.accountId)
      .where("person_id", "=", token)
      .execute();
    real.people.set(login, { email: `${login}@example.com`, groups: ["admins"] });
    expect(await teams(await signIn(http, login))).toEqual(
      [`${first} admin`, `${second} owner`, `${third} viewer`].toSorted(),
    );
    await personIn(world, two.accountId, "owner");
    real.people.set(login, { email: `${login}@example.com` });
    const left = await signIn(http, login);
    expect(await teams(left)).toEqual([`${third} viewer`]);
    // The session that acted in a team that was taken is over.
    expect((await browser.ask("GET", account)).status).toBe(401);
  });
});

describe("a person whose group gives a lesser role", () => {
  it("leaves no open invitation to a role that the person can no longer invite to", async () => {
    const { accountId } = await world.account();
    const { name } = await readAccount(world.db, accountId);
    const groups = [
      { group: "admins", account: name, role: "admin" as const },
      { group: "staff", account: name, role: "viewer" as const },
    ];
    const http = await served(real.settings({ groups }));
    const login = person({ groups: ["admins", "staff"] });
    const body = { email: "other@example.com", role: "admin" };
    expect((await (await signIn(http, login)).ask("POST", "/control/v1/invitations", { body })).status).toBe(200);
    real.people.set(login, { email: `${login}@example.com`, groups: ["staff"] });
    await signIn(http, login);
    const left = await world.db.selectFrom("invitations").select("id").where("account_id", "=", accountId).execute();
    expect(left).toEqual([]);
  });
});

describe("a session", () => {
  it("ends after the minutes of its provider, so that a person who was disabled there loses access", async () => {
    const http = await served(real.settings({ signUp: true, sessionMinutes: 30 }));
    const browser = await signIn(http, person());
    await travel(world.db, "29 minutes");
    expect((await browser.ask("GET", account)).status).toBe(200);
    await travel(world.db, "1 minute 1 second");
    expect((await browser.ask("GET", account)).status).toBe(401);
  });

  it("is signed out at the provider too", async () => {
    const http = await served(real.settings({ signUp: true }));
    const browser = await signIn(http, person());
    const { sign_out_url: away } = dataOf<{ sign_out_url: string }>(await browser.signOut());
    const response = await fetch(away);
    expect(response.status, await response.text()).toBe(200);
    expect(new URL(away).searchParams.get("post_logout_redirect_uri")).toBe(`${url}/`);
  });

  it("is in the audit log, with the person", async () => {
    const http = await served(real.settings({ signUp: true }));
    const browser = await signIn(http, person());
    const entries = dataOf<{ operation: string; person: { id: string } | null }[]>(
      await browser.ask("GET", "/control/v1/audit-log"),
    );
    expect(entries).toMatchObject([{ operation: "signInByProvider", person: { id: (await own(browser)).person.id } }]);
  });
});

describe("a provider", () => {
  it("that does not respond is asked again only after a while, and nothing waits for it", async () => {
    const fake = await FakeProvider.start();
    fake.isDown = true;
    const http = await served(fake.settings());
    const begin = () => new Browser(http.main).ask("POST", "/console/sign-in/fake", { body: {} });
    for (let n = 0; n < 3; n++) expect(dataOf(await begin())).toEqual({ failed: "unreachable" });
    expect(fake.requests).toHaveLength(1);
    fake.close();
  });

  it("that has a new key signs people in with it", async () => {
    const fake = await FakeProvider.start();
    const http = await served(fake.settings());
    const attempt = async () => {
      const browser = new Browser(http.main);
      const begun = dataOf<{ url: string }>(await browser.ask("POST", "/console/sign-in/fake", { body: {} }));
      const { headers } = await browser.ask("GET", `/console/sign-in/fake/callback?${fake.signsIn(begun.url)}`);
      return headers.location;
    };
    expect(await attempt()).toBe("/");
    fake.rotate();
    // Its keys are read again at most once a minute.
    const now = Date.now;
    const later = vi.spyOn(Date, "now").mockImplementation(() => now() + 61_000);
    expect(await attempt()).toBe("/");
    later.mockRestore();
    fake.close();
  });

  it("is not asked again and again for one client: sign-ins that begin are limited", async () => {
    const http = await served(real.settings());
    const begin = () => new Browser(http.main).ask("POST", "/console/sign-in/real", { body: {} });
    expect((await begin()).status).toBe(200);
    await sql`update sign_in_requests set requests = ${attemptsPerClient}`.execute(world.db);
    const before = await sql`select from sign_in_attempts`.execute(world.db);
    expect((await begin()).status).toBe(429);
    expect((await sql`select from sign_in_attempts`.execute(world.db)).rows).toHaveLength(before.rows.length);
    await sql`delete from sign_in_requests`.execute(world.db);
  });

  it("is listed for the sign-in page, without its secrets", async () => {
    const http = await served(real.settings());
    const seen = await new Browser(http.main).ask("GET", "/console/sign-in");
    const providers = [{ id: "real", label: "Real" }];
    expect(seen.body).toEqual({ data: { links: false, providers, control_url: "/control/v1" } });
    const unknown = await new Browser(http.main).ask("POST", "/console/sign-in/other", { body: {} });
    expect(unknown.status).toBe(404);
  });
});
