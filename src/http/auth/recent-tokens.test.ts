import { describe, expect, it } from "vitest";
import { hashToken } from "../../secrets/token.ts";
import { createRecentlyVerifiedTokens, notesOften } from "./recent-tokens.ts";

const [one, two, three] = ["one", "two", "three"].map(hashToken) as [Buffer, Buffer, Buffer];
const minuteMs = 60_000;

/** A memory of this size, with a clock that the test moves. */
function knownGood(limit = 100) {
  const clock = { now: 0 };
  return { clock, known: createRecentlyVerifiedTokens(limit, () => clock.now) };
}

describe("a token that was good from an address", () => {
  it("is known there, and nowhere else", () => {
    const { known } = knownGood();
    known.note("192.0.2.7", one);
    expect(known.has("192.0.2.7", one)).toBe(true);
    expect(known.has("192.0.2.8", one)).toBe(false);
    expect(known.has("192.0.2.7", two)).toBe(false);
  });

  it("is known for an hour after it was good last", () => {
    const { known, clock } = knownGood();
    known.note("192.0.2.7", one);
    clock.now = 59 * minuteMs;
    known.note("192.0.2.7", one);
    clock.now = 118 * minuteMs;
    expect(known.has("192.0.2.7", one)).toBe(true);
    clock.now = 119 * minuteMs + 1;
    expect(known.has("192.0.2.7", one)).toBe(false);
  });

  it("is known no more once it was refused", () => {
    const { known } = knownGood();
    known.note("192.0.2.7", one);
    known.forget("192.0.2.7", one);
    expect(known.has("192.0.2.7", one)).toBe(false);
  });

  it("is forgotten when there are too many, the one first that was quiet longest", () => {
    const { known } = knownGood(2);
    known.note("a", one);
    known.note("a", two);
    known.note("a", one);
    known.note("a", three);
    expect([one, two, three].map((hash) => known.has("a", hash))).toEqual([true, false, true]);
  });
});

describe("a token that is proved again and again", () => {
  const proof = {};

  it("is known for an hour after it was good last, and noted once a minute", () => {
    const { known, clock } = knownGood();
    const noted: number[] = [];
    const counting = {
      ...known,
      note: (address: string, hash: Buffer) => {
        noted.push(clock.now);
        known.note(address, hash);
      },
    };
    const note = notesOften(counting, () => clock.now);
    for (; clock.now <= 70 * minuteMs; clock.now += 20_000) note(proof, "192.0.2.7", "one");
    expect(noted).toHaveLength(71);
    expect(known.has("192.0.2.7", one)).toBe(true);
    clock.now += 59 * minuteMs;
    expect(known.has("192.0.2.7", one)).toBe(true);
  });

  it("is noted from each address", () => {
    const { known, clock } = knownGood();
    const note = notesOften(known, () => clock.now);
    note(proof, "192.0.2.7", "one");
    note(proof, "192.0.2.8", "one");
    expect([known.has("192.0.2.7", one), known.has("192.0.2.8", one)]).toEqual([true, true]);
  });
});
