// The fast path alone, on a server whose full path says that it was taken.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AuthenticatedToken } from "../../rental/accounts/token-store.ts";
import type { DatabaseSnapshot } from "../../rental/freshness.ts";
import type { Told } from "../auth/token-lookup.ts";
import { CachedResponses } from "./cached-responses.ts";
import { type Answered, type FastPathDependencies, fastPath, type Handler } from "./fast-path.ts";
import { FastPathIndex } from "./fast-path-index.ts";
import { Handoff } from "./handoff.ts";

const moment: DatabaseSnapshot = {
  run: "s",
  nowMs: 0,
  horizon: 100,
  account: 1,
  catalog: 1,
  hostHorizon: 100n,
  hosts: 1n,
};
const good: AuthenticatedToken = {
  principal: { accountId: "account", tokenId: "token", scopes: new Set(["read"]) },
  accountStatus: "active",
  expired: false,
  revoked: false,
  suspended: false,
  compatibilityVersion: null,
  moment,
};

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Starts it, with one entry and one cached response; gives a function that asks. */
async function front(part: Partial<FastPathDependencies> = {}) {
  const [fastPaths, cached] = [new FastPathIndex(), new CachedResponses()];
  const answered: Answered[] = [];
  const handoff = new Handoff();
  const failed = vi.fn();
  const parts: FastPathDependencies = {
    fastPaths,
    cached,
    ask: (_hash, told) => told(undefined, good),
    keepAliveSeconds: 5,
    limits: { address: () => true, token: () => ["ratelimit", "told"] },
    clientAddress: () => "192.0.2.1",
    answered: (one) => void answered.push(one),
    isClosed: () => false,
    most: 10,
    handoff,
    failed,
    ...part,
  };
  /** Of requests that took the full path: whether their look-up was handed over. */
  const long: boolean[] = [];
  const fullPath: Handler = (request, response) => {
    long.push(handoff.has(request));
    response.end("the full path");
  };
  server = createServer(fastPath(fullPath, parts));
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const operation = { interface: "marketplace", id: "list" };
  fastPaths.remember("Bearer x", "/list", {
    host: `127.0.0.1:${port}`,
    tokenHash: "ab",
    accountId: "account",
    role: null,
    compatibilityVersion: null,
    scopes: ["read", "operator"],
    key: "key",
    operation,
    route: "/list",
  });
  const [body, etag] = [Buffer.from('{"short":true}'), '"tag"'];
  const base = { moment, source: "account", validUntilMs: Number.POSITIVE_INFINITY, link: "<next>" } as const;
  cached.keep("key", { ...base, etag, type: "application/json", body });
  const ask = async (headers: Record<string, string> = {}) => {
    const all = { authorization: "Bearer x", "x-request-id": "mine", ...headers };
    const response = await fetch(`http://127.0.0.1:${port}/list`, { headers: all });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { ask, answered, long, failed };
}

describe("a read that is cached", () => {
  it("is answered with everything that belongs to it, and told of", async () => {
    const { ask, answered, long } = await front();
    const { status, headers, text } = await ask();
    expect([status, text]).toEqual([200, '{"short":true}']);
    expect(Object.fromEntries(headers)).toMatchObject({
      etag: '"tag"',
      link: "<next>",
      "content-type": "application/json",
      "content-length": "14",
      "cache-control": "private, no-cache",
      "x-request-id": "mine",
      ratelimit: "told",
    });
    expect(long).toEqual([]);
    expect(answered).toMatchObject([
      { requestId: "mine", status: 200, address: "192.0.2.1", entry: { route: "/list" } },
    ]);
  });

  it("is answered 304 to who has it", async () => {
    const { ask, answered } = await front();
    const { status, headers, text } = await ask({ "if-none-match": 'W/"tag"' });
    expect([status, text, headers.get("etag"), headers.get("content-length")]).toEqual([304, "", '"tag"', null]);
    expect(answered).toMatchObject([{ status: 304 }]);
  });
});

describe("the full path is taken", () => {
  const finds = (token: AuthenticatedToken | undefined) => (_hash: string, told: Told) => told(undefined, token);
  const token = (part: Partial<AuthenticatedToken>) => ({ ask: finds({ ...good, ...part }) });
  const principal = { ...good.principal, scopes: new Set(["write" as const]) };

  it.each<[string, Partial<FastPathDependencies>]>([
    ["by an unknown token", { ask: finds(undefined) }],
    ["by a token that was revoked", token({ revoked: true })],
    ["by a token that is over", token({ expired: true })],
    ["by an account that is switched off", token({ accountStatus: "inactive" })],
    ["by a token that lacks the scope", token({ principal })],
    ["by a token of another account", token({ principal: { ...good.principal, accountId: "another" } })],
    ["by a token that is shown another version", token({ compatibilityVersion: "1.0.3" })],
    ["where the answer does not hold any more", token({ moment: { ...moment, account: 100 } })],
    ["where the token has asked too often", { limits: { address: () => true, token: () => undefined } }],
    ["where the look-up fails", { ask: (_hash, told) => told(new Error("no database"), undefined) }],
  ])("%s, with what was looked up", async (_what, part) => {
    const { ask, long, answered } = await front(part);
    expect((await ask()).text).toBe("the full path");
    expect(long).toEqual([true]);
    expect(answered).toEqual([]);
  });

  it.each<[string, Partial<FastPathDependencies>]>([
    ["while the server stops", { isClosed: () => true }],
    ["where the address has asked too often", { limits: { address: () => false, token: () => [] } }],
    ["where as many wait as may", { most: 0 }],
  ])("%s, before anything is looked up", async (_what, part) => {
    const lookup = vi.fn();
    const { ask, long } = await front({ ask: lookup, ...part });
    expect((await ask()).text).toBe("the full path");
    expect(lookup).not.toHaveBeenCalled();
    expect(long).toEqual([false]);
  });
});

const boom = new Error("unforeseen");
const fails = () => {
  throw boom;
};

it.each<[string, Partial<FastPathDependencies>]>([
  ["after the answer", { answered: fails }],
  ["before the look-up", { clientAddress: fails }],
])("an error that nothing foresaw, %s, ends the connection and not the program", async (_when, part) => {
  const { ask, failed } = await front(part);
  await ask().catch(() => {});
  await vi.waitFor(() => expect(failed).toHaveBeenCalledWith(boom));
});
