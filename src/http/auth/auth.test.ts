import { pino } from "pino";
import { describe, expect, it, vi } from "vitest";
import type { Database } from "../../database/connect.ts";
import type { AuthenticatedToken } from "../../rental/accounts/token-store.ts";
import { presentedToken, tokenIn } from "./bearer.ts";
import { createAskForToken, createTokenLookup as promised } from "./token-lookup.ts";
import { createTokenUse } from "./token-use.ts";

const db = {} as Database; // never reached: what would use it is replaced

describe("an Authorization header", () => {
  it.each([`${btoa("abc")}:`, `${btoa("abc:")}:`, "lessor_abc", "lessor_abc:"])(
    "carries it as the documentation of that family writes Basic: %j",
    (written) => {
      expect(presentedToken(`Basic ${written}`)).toBe(written.startsWith("lessor_") ? "lessor_abc" : "abc");
    },
  );

  it.each([btoa("abc:"), btoa("abc:").replaceAll("=", ""), btoa("abc")])(
    "carries its token as the user name of Basic with an empty password: %j",
    (encoded) => {
      for (const scheme of ["Basic", "basic", "BASIC "]) expect(presentedToken(`${scheme} ${encoded}`)).toBe("abc");
    },
  );

  it.each(["Bearer abc", "bearer abc", "BEARER   abc  "])("%j carries its token", (header) => {
    expect(presentedToken(header)).toBe("abc");
    expect(tokenIn(header)).toBe("abc");
  });

  it.each([
    [undefined, "missing"],
    ["", "missing"],
    ["Bearer", "malformed"],
    ["Bearer ", "malformed"],
    ["abc", "malformed"],
    ["Basic abc", "malformed"],
    ["Basic", "malformed"],
    [`Basic ${btoa("abc:password")}`, "malformed"],
    [`Basic ${btoa(":abc")}`, "malformed"],
    [`Basic ${btoa(":")}`, "malformed"],
    [`Basic ${btoa("a b:")}`, "malformed"],
    ["Bearer a b", "malformed"],
    ["Bearer é", "malformed"],
  ])("%j is refused as %s", (header, reason) => {
    expect(() => presentedToken(header)).toThrow(expect.objectContaining({ details: { reason } }));
  });
});

describe("look-ups", () => {
  const createTokenLookup = (...parts: Parameters<typeof createAskForToken>) => promised(createAskForToken(...parts));
  const found = (hashes: readonly Buffer[]) =>
    new Map(hashes.map((hash) => [hash.toString("hex"), { expired: false } as AuthenticatedToken]));

  it("of one tick share one query, and what is not there is not found", async () => {
    const find = vi.fn(async (_db: Database, hashes: readonly Buffer[]) => found(hashes.slice(0, 2)));
    const lookup = createTokenLookup(db, find);
    const hashes = ["aa", "bb", "aa", "cc"];
    const results = await Promise.all(hashes.map(lookup));
    expect(find).toHaveBeenCalledTimes(1);
    expect(find.mock.calls[0]?.[1]).toHaveLength(3);
    expect(results.map((result) => result !== undefined)).toEqual([true, true, true, false]);
  });

  it("that come while a query is under way wait for the next, which sees what was revoked in between", async () => {
    let revoked = false;
    const begun = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const find = async (_db: Database, hashes: readonly Buffer[]) => {
      const seen = revoked;
      begun.resolve();
      await answered.promise;
      return seen ? new Map() : found(hashes);
    };
    const lookup = createTokenLookup(db, find);
    const first = lookup("aa");
    await begun.promise;
    revoked = true;
    const second = lookup("aa");
    answered.resolve();
    expect(await first).toBeDefined();
    expect(await second).toBeUndefined();
  });

  it("are at most two queries at once: what comes meanwhile gathers for the next one", async () => {
    const asked: number[] = [];
    const answers: (() => void)[] = [];
    const find = async (_db: Database, hashes: readonly Buffer[]) => {
      asked.push(hashes.length);
      await new Promise<void>((resolve) => answers.push(resolve));
      return found(hashes);
    };
    const lookup = createTokenLookup(db, find);
    const pending: Promise<unknown>[] = [];
    for (const hash of ["01", "02", "03", "04", "05"]) {
      pending.push(lookup(hash));
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(asked).toEqual([1, 1]);
    answers.shift()?.();
    await vi.waitFor(() => expect(asked).toEqual([1, 1, 3]));
    for (const answer of answers) answer();
    expect(await Promise.all(pending)).not.toContain(undefined);
  });

  it("fail together and start anew", async () => {
    let failing = true;
    const lookup = createTokenLookup(db, async (_db, hashes) => {
      if (failing) throw new Error("no database");
      return found(hashes);
    });
    const both = await Promise.allSettled([lookup("aa"), lookup("bb")]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    failing = false;
    expect(await lookup("aa")).toBeDefined();
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
