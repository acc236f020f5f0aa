import { describe, expect, it } from "vitest";
import { hashToken } from "../../secrets/token.ts";
import { createFirstLook, everyMs } from "./first-look.ts";

const [one, two, three] = ["one", "two", "three"].map(hashToken) as [Buffer, Buffer, Buffer];

/** A memory of this size, with a clock that the test moves. */
function firstLook(limit = 100) {
  const clock = { now: 0 };
  return { clock, look: createFirstLook(limit, () => clock.now) };
}

describe("from an address from which too many tokens failed", () => {
  it("one token is looked up, and the next one after a while", () => {
    const { look, clock } = firstLook();
    expect(look.take("192.0.2.7", one)).toBe(true);
    expect([one, two].map((hash) => look.take("192.0.2.7", hash))).toEqual([false, false]);
    clock.now = everyMs - 1;
    expect(look.take("192.0.2.7", two)).toBe(false);
    clock.now = everyMs;
    expect(look.take("192.0.2.7", two)).toBe(true);
  });

  it("none is kept waiting by what comes from elsewhere", () => {
    const { look } = firstLook();
    expect(look.take("192.0.2.7", one)).toBe(true);
    expect(look.take("192.0.2.8", one)).toBe(true);
  });

  it("one that failed is not looked up, and does not take the turn of another, however often it comes", () => {
    const { look } = firstLook();
    look.noteFailed("192.0.2.7", one);
    for (let n = 0; n < 100; n++) expect(look.take("192.0.2.7", one)).toBe(false);
    expect(look.take("192.0.2.7", two)).toBe(true);
  });

  it("of more that failed than are remembered the one is forgotten that failed longest ago", () => {
    const { look, clock } = firstLook(2);
    for (const hash of [one, two, one, three]) look.noteFailed("192.0.2.7", hash);
    const taken = [one, two, three].map((hash) => {
      clock.now += everyMs;
      return look.take("192.0.2.7", hash);
    });
    expect(taken).toEqual([false, true, false]);
  });
});
