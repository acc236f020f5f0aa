// The command line signs in through the browser: who gets a token, once, and what attackers get.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "../../../test/support/console.ts";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { personIn } from "../../../test/support/people.ts";
import { shownLinks, signedIn } from "../../../test/support/sign-in.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { createToken } from "../../rental/accounts/token-store.ts";

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

interface Begun {
  readonly secret: string;
  readonly code: string;
}

const dataOf = <T>({ body }: { body: unknown }) => (body as { data: T }).data;
const post = (path: string, body: object) => http.call("POST", `${http.main}/console/device${path}`, { body });
const begin = async () => dataOf<Begun>(await post("", { name: "laptop" }));
/** As a command line that waits between two polls. */
const poll = async ({ secret }: Begun) => {
  await travel(world.db, "3 seconds");
  return dataOf<{ status: string; token?: string }>(await post("/token", { secret }));
};
const confirm = (browser: Browser, code: string, team?: string) =>
  browser.ask("POST", "/console/device/confirm", { body: { code, ...(team !== undefined && { team }) } });

async function person() {
  const { accountId } = await world.account();
  const ada = await personIn(world, accountId, "member");
  return { ...ada, accountId, browser: await signedIn(http, links, ada.email) };
}

describe("a command line", () => {
  it("gets a token of the person who confirms its code, in the team that was chosen, once", async () => {
    const ada = await person();
    const { accountId: second } = await world.account();
    await personIn(world, second, "viewer", ada);
    const begun = await begin();
    expect(begun.code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    expect(await poll(begun)).toEqual({ status: "pending" });
    const typed = begun.code.toLowerCase().replace("-", " ");
    expect(dataOf(await confirm(ada.browser, typed))).toEqual({ name: "laptop", address: "127.0.0.1" });
    expect((await confirm(ada.browser, typed, second)).status).toBe(200);
    const { token = "" } = await poll(begun);
    const own = dataOf(await http.call("GET", `${http.control}/account`, { token }));
    expect(own).toMatchObject({ id: second, person: { id: ada.id, role: "viewer" } });
    expect(await poll(begun)).toEqual({ status: "expired" });
    const tokens = dataOf<{ name: string; expires_at: string | null }[]>(
      await http.call("GET", `${http.control}/tokens`, { token }),
    );
    expect(tokens).toContainEqual(expect.objectContaining({ name: "CLI on laptop", expires_at: expect.any(String) }));
  });

  it("gets nothing after ten minutes, and nothing for a person who was removed meanwhile", async () => {
    const ada = await person();
    const late = await begin();
    await travel(world.db, "10 minutes 1 second");
    expect((await confirm(ada.browser, late.code, ada.accountId)).status).toBe(409);
    expect(await poll(late)).toEqual({ status: "expired" });
    const begun = await begin();
    await confirm(ada.browser, begun.code, ada.accountId);
    await world.db.deleteFrom("memberships").where("person_id", "=", ada.id).execute();
    expect(await poll(begun)).toEqual({ status: "expired" });
  });

  it("gets no token from a session of a token, whose limits it would lack", async () => {
    const { accountId } = await world.account();
    const ada = await personIn(world, accountId, "member");
    const order = { accountId, personId: ada.id, name: "bound", scopes: ["read", "write"] as const, expiresAt: null };
    const { token } = await world.tx((tx) => createToken(tx, { ...order, spendLimitCents: 100 }));
    const browser = new Browser(http.main);
    expect((await browser.ask("POST", "/console/session", { body: { token } })).status).toBe(200);
    const begun = await begin();
    for (const team of [undefined, accountId]) expect((await confirm(browser, begun.code, team)).status).toBe(409);
    expect(await poll(begun)).toEqual({ status: "pending" });
  });

  it("that polls too often is told to wait, and still gets its token", async () => {
    const ada = await person();
    const begun = await begin();
    expect(await poll(begun)).toEqual({ status: "pending" });
    await confirm(ada.browser, begun.code, ada.accountId);
    expect(dataOf(await post("/token", { secret: begun.secret }))).toEqual({ status: "slow_down" });
    expect(await poll(begun)).toMatchObject({ status: "done" });
  });
});

describe("a code", () => {
  it("is shown with a name that says nothing else, such as another address", async () => {
    const ada = await person();
    const shown = async (name: string) => {
      const { code } = dataOf<Begun>(await post("", { name }));
      return dataOf<{ name: string }>(await confirm(ada.browser, code)).name;
    };
    expect(await shown("Ada's MacBook-Pro.local (2)")).toBe("Ada's MacBook-Pro.local (2)");
    expect(await shown("laptop, from 10.0.0.7: \u202e\u001b[2J<b>")).toBe("laptop from 10.0.0.7 2J b");
    expect(await shown("\u202e:")).toBe("a computer");
  });

  it("is confirmed once, by a person in the console, for a team of that person", async () => {
    const [ada, eve] = [await person(), await person()];
    const { code, secret } = await begin();
    expect((await confirm(ada.browser, code, eve.accountId)).status).toBe(404);
    const byToken = await http.call("POST", `${http.main}/console/device/confirm`, {
      token: ada.token,
      body: { code, team: ada.accountId },
    });
    expect(byToken.status).toBe(409);
    const ofTeam = new Browser(http.main);
    await ofTeam.signIn((await http.customer()).token);
    expect((await confirm(ofTeam, code, ada.accountId)).status).toBe(409);
    const foreign = { "x-lessor-console": null, "sec-fetch-site": "cross-site" };
    const elsewhere = { headers: foreign, body: { code, team: ada.accountId } };
    expect((await ada.browser.ask("POST", "/console/device/confirm", elsewhere)).status).toBe(401);
    expect(await poll({ code, secret })).toEqual({ status: "pending" });
    expect((await confirm(ada.browser, code, ada.accountId)).status).toBe(200);
    expect((await confirm(eve.browser, code, eve.accountId)).status).toBe(409);
  });

  it("cannot be tried out", async () => {
    const { browser } = await person();
    const statuses: number[] = [];
    for (let n = 0; n < 21; n++) statuses.push((await confirm(browser, "BBBB-BBBB")).status);
    expect(statuses.slice(0, 20)).toEqual(statuses.slice(0, 20).map(() => 409));
    expect(statuses[20]).toBe(429);
  });

  it("is limited for a client, and its secret for wrong ones", async () => {
    const limits = { ...http.config.limits, failedAuthenticationsPerMinutePerAddress: 3 };
    const strict = await startHttp(world, { config: { limits } });
    const attempt = () => strict.call("POST", `${strict.main}/console/device/token`, { body: { secret: "x" } });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await attempt()).status);
    await strict.close();
    expect(statuses).toEqual([200, 200, 200, 429]);
    const begun: number[] = [];
    for (let n = 0; n < 61; n++) begun.push((await post("", { name: "x" })).status);
    expect(begun.at(-1)).toBe(429);
    await travel(world.db, "1 hour");
  });

  it("and its secret and token are in no log, and stored as hashes", async () => {
    const ada = await person();
    const begun = await begin();
    await confirm(ada.browser, begun.code, ada.accountId);
    const stored = JSON.stringify(await world.db.selectFrom("device_sign_ins").selectAll().execute());
    const { token = "none" } = await poll(begun);
    for (const secret of [begun.secret, token]) expect(stored + lines.join("")).not.toContain(secret);
    const audit = await http.call("GET", `${http.control}/audit-log`, { token });
    const operations = dataOf<{ operation: string }[]>(audit).map(({ operation }) => operation);
    expect(operations).toEqual(expect.arrayContaining(["confirmDeviceSignIn", "signInByDevice"]));
  });
});
