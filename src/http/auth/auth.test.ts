import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it, vi } from "vitest";
import type { Database } from "../../database/connect.ts";
import type { AuthenticatedToken } from "../../rental/accounts/index.ts";
import { bearerToken } from "./bearer.ts";
import { createTokenLookup } from "./token-lookup.ts";
import { createTokenUse } from "./token-use.ts";

const db = {} as Database; // never reached: what would use it is replaced

describe("a bearer header", () => {
  it.each(["Bearer abc", "bearer abc", "BEARER   abc  "])("%j carries its token", (header) => {
    expect(bearerToken(header)).toBe("abc");
  });

  it.each([
    [undefined, "missing"],
    ["", "missing"],
    ["Bearer", "malformed"],
    ["Bearer ", "malformed"],
    ["abc", "malformed"],
    ["Basic abc", "malformed"],
    ["Bearer a b", "malformed"],
    ["Bearer é", "malformed"],
  ])("%j is refused as %s", (header, reason) => {
    expect(() => bearerToken(header)).toThrow(expect.objectContaining({ details: { reason } }));
  });
});

describe("look-ups", () => {
  const found = (hashes: readonly Buffer[]) =>
    new Map(hashes.map((hash) => [hash.toString("hex"), { expired: false } as AuthenticatedToken]));

  it("of one tick share one query, and what is not there is not found", async () => {
    const find = vi.fn(async (_db: Database, hashes: readonly Buffer[]) => found(hashes.slice(0, 2)));
    const lookup = createTokenLookup(db, find);
    const hashes = ["a", "b", "a", "c"].map((text) => Buffer.from(text));
    const results = await Promise.all(hashes.map(lookup));
    expect(find).toHaveBeenCalledTimes(1);
    expect(find.mock.calls[0]?.[1]).toHaveLength(3);
    expect(results.map((result) => result !== undefined)).toEqual([true, true, true, false]);
  });

  it("that come while a query is under way wait for the next, which sees what was revoked in between", async () => {
    let revoked = false;
    const find = async (_db: Database, hashes: readonly Buffer[]) => {
      const seen = revoked;
      await sleep(10);
      return seen ? new Map() : found(hashes);
    };
    const lookup = createTokenLookup(db, find);
    const first = lookup(Buffer.from("a"));
    await sleep(2);
    revoked = true;
    const second = lookup(Buffer.from("a"));
    expect(await first).toBeDefined();
    expect(await second).toBeUndefined();
  });

  it("fail together and start anew", async () => {
    let failing = true;
    const lookup = createTokenLookup(db, async (_db, hashes) => {
      if (failing) throw new Error("no database");
      return found(hashes);
    });
    const both = await Promise.allSettled([lookup(Buffer.from("a")), lookup(Buffer.from("b"))]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    failing = false;
    expect(await lookup(Buffer.from("a"))).toBeDefined();
  });
});

describe("the last use of tokens", () => {
  it("is written for many at once, and once a minute for each", async () => {
    const written: (readonly string[])[] = [];
    const use = createTokenUse(db, pino({ level: "silent" }), async (_db, ids) => void written.push(ids));
    for (const id of ["a", "b", "a"]) use.note(id);
    await use.close();
    use.note("a");
    await use.close();
    expect(written).toEqual([["a", "b"]]);
  });

  it("may fail to be written without anyone noticing", async () => {
    const use = createTokenUse(db, pino({ level: "silent" }), async () => {
      throw new Error("no database");
    });
    use.note("a");
    await use.close();
  });
});
