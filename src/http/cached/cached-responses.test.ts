import { describe, expect, it } from "vitest";
import type { DatabaseSnapshot } from "../../rental/freshness.ts";
import { type CachedResponse, CachedResponses } from "./cached-responses.ts";

function moment(part: Partial<DatabaseSnapshot> = {}): DatabaseSnapshot {
  return { run: "s", nowMs: 0, horizon: 100, account: 50, catalog: 50, hostHorizon: 100n, hosts: 50n, ...part };
}

function answer(part: Partial<CachedResponse> = {}): CachedResponse {
  const body = Buffer.from("{}");
  const base = { source: "account", validUntilMs: Number.POSITIVE_INFINITY, etag: '"x"', type: "t", link: undefined };
  return { ...base, source: "account", moment: moment(), body, ...part };
}

function keeping(one: CachedResponse): CachedResponses {
  const cache = new CachedResponses();
  cache.keep("key", one);
  return cache;
}

describe("an answer that is kept", () => {
  it("is found until its account has changed", () => {
    const one = answer();
    const cache = keeping(one);
    expect(cache.find("key", moment({ horizon: 200, account: 99, catalog: 150, hosts: 150n }))).toBe(one);
    expect(cache.find("other", moment())).toBeUndefined();
    expect(cache.find("key", moment({ account: 100 }))).toBeUndefined();
    // It is gone for good, also for a look that was under way.
    expect(cache.find("key", moment())).toBeUndefined();
  });

  it.each<[string, Partial<DatabaseSnapshot>]>([
    ["the catalogue", { catalog: 100 }],
    ["a host", { hosts: 100n }],
    ["the run of the database server", { run: "another" }],
  ])("of the catalogue is found until %s is another", (_what, now) => {
    const cache = keeping(answer({ source: "catalog" }));
    expect(cache.find("key", moment({ account: 150 }))).toBeDefined();
    expect(cache.find("key", moment(now))).toBeUndefined();
  });

  it("is found until time alone makes it another", () => {
    const cache = keeping(answer({ validUntilMs: 1000 }));
    expect(cache.find("key", moment({ nowMs: 999 }))).toBeDefined();
    expect(cache.find("key", moment({ nowMs: 1000 }))).toBeUndefined();
  });

  it("gives way to a newer one, and never to an older one", () => {
    const [older, newer] = [answer({ moment: moment({ horizon: 100 }) }), answer({ moment: moment({ horizon: 101 }) })];
    const cache = keeping(newer);
    cache.keep("key", older);
    expect(cache.find("key", moment())).toBe(newer);
    const newest = answer({ moment: moment({ horizon: 102 }) });
    cache.keep("key", newest);
    expect(cache.find("key", moment())).toBe(newest);
    // Ids of transactions of two runs of a database server say nothing about each other.
    const moved = answer({ moment: moment({ run: "another", horizon: 1 }) });
    cache.keep("key", moved);
    expect(cache.find("key", moment({ run: "another", account: 0 }))).toBe(moved);
  });
});

describe("the memory of kept answers", () => {
  const big = (fill: string) => answer({ body: Buffer.alloc(9_000, fill) });

  it("is bounded: those that were read longest ago are forgotten", () => {
    const cache = new CachedResponses(80_000);
    for (let n = 0; n < 100; n++) cache.keep(`key-${n}`, big("a"));
    const there = Array.from({ length: 100 }, (_, n) => n).filter(
      (n) => cache.find(`key-${n}`, moment()) !== undefined,
    );
    expect(there).toEqual([96, 97, 98, 99]);
  });

  it("has room again for what took the place of another", () => {
    const cache = new CachedResponses(100_000);
    for (let n = 0; n < 100; n++)
      cache.keep(`key-${n % 4}`, answer({ ...big("b"), moment: moment({ horizon: 100 + n }) }));
    for (let n = 0; n < 4; n++) expect(cache.find(`key-${n}`, moment())).toBeDefined();
  });

  it("is not spent on one that is larger than a quarter of it", () => {
    const cache = new CachedResponses(100_000);
    cache.keep("small", big("a"));
    cache.keep("large", answer({ body: Buffer.alloc(26_000) }));
    expect(cache.find("large", moment())).toBeUndefined();
    expect(cache.find("small", moment())).toBeDefined();
  });
});
