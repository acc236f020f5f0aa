import { describe, expect, it } from "vitest";
import { type FastPathEntry, FastPathIndex } from "./fast-path-index.ts";

const entry: FastPathEntry = {
  host: "here",
  tokenHash: "ab",
  accountId: "account",
  role: null,
  compatibilityVersion: null,
  scopes: ["read"],
  key: "key",
  operation: { interface: "marketplace", id: "listInstances" },
  route: "/instances",
};

const request = (part: { method?: string; url?: string; headers?: Record<string, string> } = {}) => ({
  method: "GET",
  url: "/instances",
  ...part,
  headers: { host: "here", authorization: "Bearer one", ...part.headers },
});

describe("the fast-path entry of a request", () => {
  const fastPaths = new FastPathIndex();
  fastPaths.remember("Bearer one", "/instances", entry);

  it("is known for one that is like it", () => {
    expect(fastPaths.find(request())).toBe(entry);
  });

  it.each([
    ["another method", request({ method: "HEAD" })],
    ["another address", request({ url: "/instances?limit=1" })],
    ["another token", request({ headers: { authorization: "Bearer two" } })],
    ["another host", request({ headers: { host: "there" } })],
    ["a body", request({ headers: { "content-length": "2" } })],
    ["a body of unknown length", request({ headers: { "transfer-encoding": "chunked" } })],
    ["an expectation", request({ headers: { expect: "100-continue" } })],
  ])("is not known for one with %s", (_what, other) => {
    expect(fastPaths.find(other)).toBeUndefined();
  });

  it("is not known for one without a token", () => {
    expect(fastPaths.find({ method: "GET", url: "/instances", headers: { host: "here" } })).toBeUndefined();
  });
});

it("an entry is not remembered by a header and an address of any length", () => {
  const fastPaths = new FastPathIndex();
  const long = `/instances${"/".repeat(1024)}`;
  fastPaths.remember("Bearer one", long, entry);
  expect(fastPaths.find(request({ url: long }))).toBeUndefined();
});

it("the memory of entries is bounded: where there are too many, all are found again", () => {
  const fastPaths = new FastPathIndex(3);
  const urls = ["/a", "/b", "/c", "/d"];
  for (const url of urls) fastPaths.remember("Bearer one", url, entry);
  expect(urls.map((url) => fastPaths.find(request({ url })) !== undefined)).toEqual([false, false, false, true]);
  // One that is known already takes no room.
  for (const url of ["/d", "/d", "/e", "/d", "/f"]) fastPaths.remember("Bearer one", url, entry);
  expect(["/d", "/e", "/f"].map((url) => fastPaths.find(request({ url })) !== undefined)).toEqual([true, true, true]);
});
