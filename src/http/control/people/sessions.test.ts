// The sessions of people who signed in: listing, ending and the team in which one acts, on each replica.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operationRights } from "../../../../test/conformance/operation-rights.ts";
import { Browser } from "../../../../test/support/console.ts";
import { openStream } from "../../../../test/support/event-source.ts";
import { type RunningHttp, startHttp } from "../../../../test/support/http.ts";
import { personIn } from "../../../../test/support/people.ts";
import { shownLinks, signedIn } from "../../../../test/support/sign-in.ts";
import { travel } from "../../../../test/support/time-travel.ts";
import { makeWorld, type World } from "../../../../test/support/world.ts";
import { removeMember } from "../../../rental/people/members.ts";

let world: World;
let http: RunningHttp;
/** Another replica. */
let other: RunningHttp;
const links = shownLinks();
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world, { demoLinks: links.demoLinks, streams: { checkMs: 50 } });
  other = await startHttp(world, { demoLinks: links.demoLinks });
});
afterAll(async () => {
  await other?.close();
  await http?.close();
  await world?.close();
});

const dataOf = <T>({ body }: { body: unknown }) => (body as { data: T }).data;
const path = (rest: string) => `/control/v1/${rest}`;
const signIn = (email: string, server = http) => signedIn(server, links, email);
const teamIn = async (browser: Browser) => dataOf<{ id: string }>(await browser.ask("GET", path("account"))).id;
const sessionsOf = async (browser: Browser) =>
  dataOf<{ id: string; current: boolean }[]>(await browser.ask("GET", path("sessions")));
const switchTo = (browser: Browser, team: string) => browser.ask("POST", path("sessions/switch"), { body: { team } });

/** The same browser at another replica. */
function at(server: RunningHttp, { cookie }: Browser): Browser {
  return Object.assign(new Browser(server.main), { cookie });
}

/** A person of two teams. */
async function ofTwo() {
  const [one, two] = [await world.account(), await world.account()];
  const ada = await personIn(world, one.accountId, "owner");
  await personIn(world, two.accountId, "viewer", ada);
  return { ada, one: one.accountId, two: two.accountId };
}

describe("sessions", () => {
  it("are listed with where they were opened, and not those of others", async () => {
    const { accountId } = await world.account();
    const [ada, eve] = [await personIn(world, accountId, "owner"), await personIn(world, accountId, "owner")];
    const [browser] = [await signIn(ada.email), await signIn(ada.email, other), await signIn(eve.email)];
    const listed = await sessionsOf(browser);
    expect(listed.map(({ current }) => current)).toEqual([false, true]);
    expect(listed).toMatchObject([{ address: "127.0.0.1" }, { address: "127.0.0.1" }]);
    const tokens = await browser.ask("GET", path("tokens"));
    expect(dataOf(tokens)).toMatchObject([{ name: "personal" }, { name: "personal" }]);
  });

  it("end one by one on each replica, and all others at once, with their streams", async () => {
    const { accountId } = await world.account();
    const ada = await personIn(world, accountId, "member");
    const [own, second, third] = [await signIn(ada.email), await signIn(ada.email), await signIn(ada.email)];
    const headers = { cookie: second.cookie ?? "", "x-lessor-console": "1" };
    const stream = await openStream(`${http.control}/events/stream`, { headers });
    const ids = (await sessionsOf(own)).map(({ id }) => id);
    expect((await own.ask("DELETE", path(`sessions/${ids[1]}`))).status).toBe(200);
    expect((await at(other, second).ask("GET", path("account"))).status).toBe(401);
    await expect.poll(() => stream.ended).toBe(true);
    expect((await at(other, own).ask("DELETE", path("sessions"))).status).toBe(200);
    expect((await third.ask("GET", path("account"))).status).toBe(401);
    expect(await sessionsOf(own)).toMatchObject([{ current: true }]);
  });

  it("of another person cannot be ended", async () => {
    const { accountId } = await world.account();
    const [ada, eve] = [await personIn(world, accountId, "owner"), await personIn(world, accountId, "owner")];
    const [mine, hers] = [await signIn(ada.email), await signIn(eve.email)];
    const [{ id = "" } = {}] = await sessionsOf(hers);
    expect((await mine.ask("DELETE", path(`sessions/${id}`))).status).toBe(404);
    await mine.ask("DELETE", path("sessions"));
    expect(await teamIn(hers)).toBe(accountId);
  });

  it("end after 12 hours, and after 2 hours without use", async () => {
    const ada = await personIn(world, (await world.account()).accountId, "member");
    const idle = await signIn(ada.email);
    await travel(world.db, "2 hours 1 second");
    expect((await idle.ask("GET", path("account"))).status).toBe(401);
    const used = await signIn(ada.email);
    const use = () => world.db.updateTable("console_sessions").set({ last_used_at: sql<Date>`now()` }).execute();
    await travel(world.db, "11 hours 59 minutes");
    await use();
    expect((await used.ask("GET", path("account"))).status).toBe(200);
    await travel(world.db, "1 minute 1 second");
    await use();
    expect((await used.ask("GET", path("account"))).status).toBe(401);
  });

  it("end with the removal of the person, on each replica with the next request", async () => {
    const { accountId } = await world.account();
    const [ada, owner] = [await personIn(world, accountId, "member"), await personIn(world, accountId, "owner")];
    const browser = await signIn(ada.email);
    const by = { accountId, tokenId: owner.tokenId, scopes: new Set(["write"] as const) };
    await world.tx((tx) => removeMember(tx, { by, accountId, through: "operator" }, ada.id));
    expect((await at(other, browser).ask("GET", path("account"))).status).toBe(401);
    await personIn(world, accountId, "member", ada);
    expect((await browser.ask("GET", path("account"))).status).toBe(401);
  });

  it("of a token are of that token, and cannot be switched", async () => {
    const { token, principal } = await http.customer();
    const stranger = await http.customer({ principal });
    const [own, same] = [new Browser(http.main), new Browser(http.main)];
    await own.signIn(token);
    await same.signIn(stranger.token);
    expect(await sessionsOf(own)).toMatchObject([{ current: true }]);
    expect((await switchTo(own, principal.accountId)).status).toBe(409);
    expect(dataOf(await own.ask("GET", path("teams")))).toEqual([]);
  });
});

/** What a team has, each with a word that no other team has, which is returned. */
async function kept(accountId: string): Promise<string> {
  const { token } = await personIn(world, accountId, "owner");
  const word = world.fresh("only-here");
  const post = async (to: string, body: object) => {
    const response = await http.call("POST", `${http.control}/${to}`, { token, body });
    expect(response.status, `${to} ${response.text}`).toBeLessThan(300);
  };
  await post("tokens", { name: word, scopes: ["read"], person_id: null });
  await post("invitations", { email: `${word}@example.com`, role: "viewer" });
  await post("webhooks", { url: `https://hooks.example/${word}`, event_types: ["*"] });
  await post("ssh-keys", { name: word });
  return word;
}

/** Everything that is read without naming an object, but for the stream and the list of the person's teams. */
const lists = Object.values(operationRights.control)
  .flat()
  .flatMap((operation) => /^GET \/([^{]+)$/.exec(operation)?.[1] ?? [])
  .filter((one) => !["events/stream", "teams"].includes(one));

describe("a person of two teams", () => {
  it("acts in one at a time, and switches on each replica with the next request", async () => {
    const { ada, one, two } = await ofTwo();
    const browser = await signIn(ada.email);
    expect(await teamIn(browser)).toBe(one);
    expect(dataOf(await browser.ask("GET", path("teams")))).toMatchObject([
      { id: one, role: "owner" },
      { id: two, role: "viewer" },
    ]);
    const headers = { cookie: browser.cookie ?? "", "x-lessor-console": "1" };
    const stream = await openStream(`${http.control}/events/stream`, { headers });
    expect((await switchTo(at(other, browser), two)).status).toBe(200);
    expect(await teamIn(browser)).toBe(two);
    await expect.poll(() => stream.ended).toBe(true);
    const order = { name: "x", scopes: ["read"], person_id: null };
    expect((await browser.ask("POST", path("tokens"), { body: order })).status).toBe(403);
    expect((await switchTo(browser, one)).status).toBe(200);
    expect((await browser.ask("POST", path("tokens"), { body: order })).status).toBe(200);
  });

  it("joins another team in a session, and goes on there in it; another page joins as no one who is signed in", async () => {
    const [one, two] = [await world.account(), await world.account()];
    const ada = await personIn(world, one.accountId, "viewer");
    const owner = await signIn((await personIn(world, two.accountId, "owner")).email);
    const order = { email: "ada@two.example", role: "viewer" };
    const { secret } = dataOf<{ secret: string }>(await owner.ask("POST", path("invitations"), { body: order }));
    const browser = await signIn(ada.email);
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "x-lessor-console": null },
      { origin: "https://a.test" },
    ]) {
      const seen = await browser.ask("POST", path("invitations/accept"), { body: { secret }, headers });
      expect([seen.status, seen.text]).toEqual([400, expect.stringContaining("name")]);
    }
    const joined = await browser.ask("POST", path("invitations/accept"), { body: { secret } });
    expect(dataOf(joined)).toMatchObject({ account: { id: two.accountId }, member: { id: ada.id } });
    await switchTo(browser, two.accountId);
    expect(await teamIn(at(other, browser))).toBe(two.accountId);
    const ended = Object.assign(new Browser(http.main), { cookie: browser.cookie });
    await browser.signOut();
    expect((await ended.ask("POST", path("invitations/accept"), { body: { secret, name: "Eve" } })).status).toBe(401);
  });

  it("is signed in to the team that was used last", async () => {
    const { ada, two } = await ofTwo();
    const browser = await signIn(ada.email);
    await switchTo(browser, two);
    // Later than the use of the other team's, which the service writes a little after it.
    const later = sql<Date>`now() + interval '1 minute'`;
    await world.db.updateTable("tokens").set({ last_used_at: later }).where("account_id", "=", two).execute();
    expect(await teamIn(await signIn(ada.email))).toBe(two);
  });

  it("sees nothing of one team in the other, with a session nor with a token", async () => {
    const { ada, one, two } = await ofTwo();
    const [ofOne, ofTwoOnly] = [await kept(one), await kept(two)];
    const browser = await signIn(ada.email);
    /** Each on another replica than the last one. */
    const seen = async (): Promise<string> => {
      let [text, read] = ["", 0];
      for (const [index, list] of lists.entries()) {
        const response = await at(index % 2 === 0 ? http : other, browser).ask("GET", path(list));
        if (response.status === 200) read++;
        text += response.text;
      }
      expect(read).toBeGreaterThan(20);
      return text;
    };
    const first = await seen();
    expect([first.includes(ofOne), first.includes(ofTwoOnly), first.includes(two)]).toEqual([true, false, false]);
    await switchTo(browser, two);
    const second = await seen();
    expect([second.includes(ofTwoOnly), second.includes(ofOne), second.includes(one)]).toEqual([true, false, false]);
    for (const list of ["sessions", "teams", "audit-log"]) {
      const { text } = await http.call("GET", `${http.control}/${list}`, { token: ada.token });
      expect(text, list).not.toContain(two);
    }
  });

  it("cannot act in the wrong team from a page that shows the other one", async () => {
    const { ada, one, two } = await ofTwo();
    const browser = await signIn(ada.email);
    const headers = { "x-lessor-account": one };
    expect((await browser.ask("GET", path("account"), { headers })).status).toBe(200);
    await switchTo(browser, two);
    expect((await browser.ask("GET", path("account"), { headers })).status).toBe(401);
  });

  it("can end every session from each team", async () => {
    const { ada, two } = await ofTwo();
    const [own, stolen] = [await signIn(ada.email), await signIn(ada.email)];
    await switchTo(stolen, two);
    expect(await sessionsOf(own)).toHaveLength(2);
    await own.ask("DELETE", path("sessions"));
    expect((await stolen.ask("GET", path("account"))).status).toBe(401);
  });

  it("cannot switch to a team of others, or one that the person was removed from", async () => {
    const { ada, two } = await ofTwo();
    const foreign = await world.account();
    const browser = await signIn(ada.email);
    expect((await switchTo(browser, foreign.accountId)).status).toBe(404);
    await world.db.deleteFrom("memberships").where("account_id", "=", two).execute();
    expect((await switchTo(browser, two)).status).toBe(404);
  });
});

describe("people with one address in two teams", () => {
  it("are one in a session by email, and two with tokens", async () => {
    const [one, two] = [await world.account(), await world.account()];
    const ada = await personIn(world, one.accountId, "owner");
    await personIn(world, two.accountId, "member", { email: ada.email });
    const browser = await signIn(ada.email);
    expect(await teamIn(browser)).toBe(one.accountId);
    expect((await switchTo(browser, two.accountId)).status).toBe(200);
    expect(await teamIn(browser)).toBe(two.accountId);
    expect(await sessionsOf(browser)).toHaveLength(1);
    const { text } = await http.call("GET", `${http.control}/teams`, { token: ada.token });
    expect(text).not.toContain(two.accountId);
  });
});
