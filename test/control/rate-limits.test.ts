// What is too much: of a token, of an address, and of an address that shows no valid token. Behind a trusted proxy, so
// that requests come from wherever a test says.

import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Limits, loadConfig } from "../../src/config.ts";
import { type CallResult, type RunningHttp, startHttp } from "../support/http.ts";
import { begin } from "../support/interleave.ts";
import { makeWorld, type World } from "../support/world.ts";

let world: World;
let http: RunningHttp;
const lines: string[] = [];
const { limits: usual } = loadConfig({ env: {}, cwd: import.meta.dirname });

beforeAll(async () => {
  world = await makeWorld();
});
afterEach(() => http?.close());
afterAll(() => world?.close());

async function start(limits: Partial<Limits>): Promise<void> {
  const log = { write: (line: string) => void lines.push(line) };
  http = await startHttp(world, { config: { trustedProxies: ["127.0.0.1"], limits: { ...usual, ...limits } }, log });
}

function get(address: string, token?: string, path = "/ssh-keys"): Promise<CallResult> {
  return http.call("GET", `${http.marketplace}${path}`, { token, headers: { "x-forwarded-for": address } });
}

async function statuses(count: number, ask: () => Promise<CallResult>): Promise<number[]> {
  const all: number[] = [];
  for (let n = 0; n < count; n++) all.push((await ask()).status);
  return all;
}

/** A 429 that says whose limit it is, in its words and by the name of its policy, and when to come back. */
function expectLimited(answer: CallResult, limit: string, words: RegExp, perMinute: number): void {
  expect(answer).toMatchObject({ status: 429, body: { error: { code: "global/rate-limited", message: words } } });
  expect(answer.headers.get("ratelimit-policy")).toBe(`"${limit}";q=${perMinute};w=60`);
  expect(answer.headers.get("ratelimit")).toMatch(new RegExp(`^"${limit}";r=0;t=\\d+$`));
  const seconds = Number(answer.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
}
const matching = (words: RegExp) => expect.stringMatching(words) as RegExp;

describe("a token", () => {
  it("that asked too often is told so wherever it asks from, and others go on", async () => {
    await start({ requestsPerMinutePerToken: 2 });
    const [{ token }, other] = [await http.customer(), await http.customer()];
    const first = await get("192.0.2.1", token);
    expect(first.headers.get("ratelimit-policy")).toBe('"token";q=2;w=60');
    expect(first.headers.get("ratelimit")).toMatch(/^"token";r=1;t=/);
    await get("192.0.2.2", token);
    expectLimited(await get("192.0.2.3", token), "token", matching(/token/), 2);
    expect((await get("192.0.2.1", other.token)).status).toBe(200);
  });
});

describe("an address", () => {
  it("that asked too often is told so before its token is looked at, and others go on", async () => {
    await start({ requestsPerMinutePerAddress: 3 });
    const { token } = await http.customer();
    expect(await statuses(3, () => get("192.0.2.1", token))).toEqual([200, 200, 200]);
    await using locked = await begin(world.db);
    await sql`lock table tokens in access exclusive mode`.execute(locked.tx);
    expectLimited(await get("192.0.2.1", token), "address", matching(/address/), 3);
    await locked.rollback();
    expect((await get("192.0.2.2", token)).status).toBe(200);
  });

  it("is counted for everything, known paths or not, except for being asked how the service is", async () => {
    await start({ requestsPerMinutePerAddress: 2 });
    const from = { headers: { "x-forwarded-for": "192.0.2.1" } };
    expect((await get("192.0.2.1", undefined, "/nothing")).status).toBe(404);
    expect((await http.call("GET", `${http.direct}/openapi.json`, from)).status).toBe(200);
    expect((await get("192.0.2.1", undefined, "/nothing")).status).toBe(429);
    expect((await http.call("GET", `${http.reference}/openapi.json`, from)).status).toBe(429);
    expect((await http.call("GET", `${http.main}/healthz`, from)).status).toBe(200);
    expect((await http.call("GET", `${http.main}/readyz`, from)).status).toBe(200);
  });

  it("of IPv6 is one with all of its /64", async () => {
    await start({ requestsPerMinutePerAddress: 2 });
    const { token } = await http.customer();
    const from = ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2", "2001:db8:0:1::3", "2001:db8:0:2::1"];
    const answers = [];
    for (const address of from) answers.push((await get(address, token)).status);
    expect(answers).toEqual([200, 200, 429, 200]);
  });

  it("is in the log of requests as it is counted", async () => {
    await start({});
    await get("203.0.113.77, 127.0.0.1", (await http.customer()).token);
    const logged = lines.map((line) => JSON.parse(line) as { msg: string; address?: string });
    expect(logged.filter(({ msg, address }) => msg === "request" && address === "203.0.113.77")).toHaveLength(1);
  });
});

describe("an address that shows no valid token", () => {
  const failing: Record<string, (make: RunningHttp) => Promise<string | undefined>> = {
    none: async () => undefined,
    "an unknown one": async () => `lessor_${"x".repeat(43)}`,
    "a revoked one": async (make) => {
      const { token, tokenId } = await make.customer();
      await world.db.updateTable("tokens").set({ revoked_at: new Date() }).where("id", "=", tokenId).execute();
      return token;
    },
    "an expired one": async (make) => {
      const { token, tokenId } = await make.customer();
      await world.db
        .updateTable("tokens")
        .set({ expires_at: new Date(0) })
        .where("id", "=", tokenId)
        .execute();
      return token;
    },
  };

  it.each(Object.entries(failing))(
    "but %s is refused for a minute, before anything is looked up",
    async (_what, make) => {
      await start({ failedAuthenticationsPerMinutePerAddress: 3 });
      const bad = await make(http);
      expect(await statuses(3, () => get("192.0.2.1", bad))).toEqual([401, 401, 401]);
      // Of tokens that are new there, one is looked up in a while.
      expect(await statuses(2, () => get("192.0.2.1", `lessor_${"z".repeat(43)}`))).toEqual([401, 429]);
      await using locked = await begin(world.db);
      await sql`lock table tokens in access exclusive mode`.execute(locked.tx);
      for (const token of [bad, undefined, `lessor_${"y".repeat(43)}`]) {
        expectLimited(
          await get("192.0.2.1", token),
          "failed-authentications",
          matching(/without a valid token came from this address/),
          3,
        );
      }
      await locked.rollback();
      expect((await get("192.0.2.2", bad)).status).toBe(401);
    },
  );

  it("may still use a token that was good from there before, and hardly another", async () => {
    await start({ failedAuthenticationsPerMinutePerAddress: 3 });
    const [known, elsewhere, fresh] = [await http.customer(), await http.customer(), await http.customer()];
    expect((await get("192.0.2.1", known.token)).status).toBe(200);
    expect((await get("192.0.2.2", elsewhere.token)).status).toBe(200);
    await statuses(5, () => get("192.0.2.1", "wrong"));
    expect((await get("192.0.2.1", "another")).status).toBe(401);
    expect(await statuses(3, () => get("192.0.2.1", known.token))).toEqual([200, 200, 200]);
    expect((await get("192.0.2.1", elsewhere.token)).status).toBe(429);
    expect((await get("192.0.2.1", fresh.token)).status).toBe(429);
    expect((await get("192.0.2.2", fresh.token)).status).toBe(200);
  });

  it("lets a good token in that this server has not seen there, as after a restart, whatever is wrong with others", async () => {
    await start({ failedAuthenticationsPerMinutePerAddress: 3 });
    const { token } = await http.customer();
    const flood = () => statuses(5, () => get("192.0.2.1", "wrong"));
    expect(await flood()).toEqual([401, 401, 401, 429, 429]);
    expect(await statuses(2, () => get("192.0.2.1", token))).toEqual([200, 200]);
    await http.close();
    await start({ failedAuthenticationsPerMinutePerAddress: 3 });
    expect(await flood()).toEqual([401, 401, 401, 429, 429]);
    // Those who show none at all take nobody's turn either.
    expect(await statuses(2, () => get("192.0.2.1"))).toEqual([429, 429]);
    expect(await statuses(3, () => get("192.0.2.1", token))).toEqual([200, 200, 200]);
  });

  it("may not go on with a token that was good and is revoked", async () => {
    await start({ failedAuthenticationsPerMinutePerAddress: 3 });
    const { token, tokenId } = await http.customer();
    expect((await get("192.0.2.1", token)).status).toBe(200);
    await statuses(3, () => get("192.0.2.1", "wrong"));
    await world.db.updateTable("tokens").set({ revoked_at: new Date() }).where("id", "=", tokenId).execute();
    expect(await statuses(2, () => get("192.0.2.1", token))).toEqual([401, 429]);
  });

  it("is counted over all ports together, a refused scope or an inactive account not at all", async () => {
    await start({ failedAuthenticationsPerMinutePerAddress: 3 });
    const { token } = await http.customer({ scopes: ["write"] });
    expect(await statuses(5, () => get("192.0.2.1", token))).toEqual([403, 403, 403, 403, 403]);
    const headers = { "x-forwarded-for": "192.0.2.9" };
    const on = (base: string) => http.call("GET", `${base}/ssh-keys`, { token: "wrong", headers });
    const answers = [
      await on(http.reference),
      await on(http.marketplace),
      await on(http.direct),
      await on(http.reference),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
  });
});

describe("who reads the metrics", () => {
  const scrape = (token?: string) =>
    http.call("GET", `${http.main}/metrics`, { token, headers: { "x-forwarded-for": "192.0.2.1" } });

  it("is not kept out by what others behind the same address do", async () => {
    await start({ requestsPerMinutePerAddress: 3, failedAuthenticationsPerMinutePerAddress: 3 });
    const { token } = await http.customer({ scopes: ["operator"] });
    expect(await statuses(5, () => get("192.0.2.1", "wrong"))).toEqual([401, 401, 401, 429, 429]);
    expect(await statuses(5, () => scrape(token))).toEqual([200, 200, 200, 200, 200]);
    expect((await get("192.0.2.1", token)).status).toBe(429);
  });

  it("needs a token all the same, and without a valid one is told to wait before anything is looked up", async () => {
    await start({ failedAuthenticationsPerMinutePerAddress: 3, requestsPerMinutePerToken: 2 });
    const { token } = await http.customer({ scopes: ["operator"] });
    expect(await statuses(3, () => scrape(token))).toEqual([200, 200, 429]);
    expect(await statuses(3, () => scrape("wrong"))).toEqual([401, 401, 401]);
    await using locked = await begin(world.db);
    await sql`lock table tokens in access exclusive mode`.execute(locked.tx);
    for (const bad of ["wrong", undefined]) {
      expectLimited(await scrape(bad), "failed-authentications", matching(/without a valid token/), 3);
    }
    await locked.rollback();
  });
});
