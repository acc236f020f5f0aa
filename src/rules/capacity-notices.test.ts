import { describe, expect, it } from "vitest";
import { seeded } from "../../test/support/random.ts";
import { type Announced, announcedAfter, announcedAfterSeconds } from "./capacity-notices.ts";

/** A reading each so many seconds; gives at which readings something else was announced, and what. */
function announced(readings: readonly { readonly isAvailable: boolean; readonly at: number }[]): string[] {
  let now: Announced = { isAvailable: false, sinceMs: 0, oppositeSinceMs: undefined };
  return readings.flatMap(({ isAvailable, at }) => {
    const before = now;
    now = announcedAfter(now, isAvailable, at * 1000);
    if (now.isAvailable === before.isAvailable) return [];
    expect(now).toEqual({ isAvailable, sinceMs: at * 1000, oppositeSinceMs: undefined });
    return [`${at} ${isAvailable}`];
  });
}
const every5 = (text: string) => [...text].map((one, n) => ({ isAvailable: one === "+", at: n * 5 }));

describe("what is announced", () => {
  it("is capacity that was seen for 15 seconds, and its absence for 60", () => {
    expect(announced(every5("-+++++"))).toEqual(["20 true"]);
    expect(announced(every5(`+++++${"-".repeat(14)}`))).toEqual(["15 true", "85 false"]);
    expect(announced(every5(`++++${"-".repeat(12)}++++++`))).toEqual(["15 true"]);
  });

  it("is nothing of what comes and goes", () => {
    expect(announced(every5("+++-".repeat(50)))).toEqual([]);
    expect(announced(every5(`++++${"-----+".repeat(50)}`))).toEqual(["15 true"]);
  });

  it("stays the same object while nothing else is seen", () => {
    const before: Announced = { isAvailable: true, sinceMs: 0, oppositeSinceMs: undefined };
    expect(announcedAfter(before, true, 1)).toBe(before);
    const pending = announcedAfter(before, false, 1000);
    expect(announcedAfter(pending, false, 2000)).toBe(pending);
    expect(announcedAfter(pending, true, 2000)).toEqual(before);
  });

  it("is what the readings before it say, whatever they were", () => {
    const random = seeded();
    for (let run = 0; run < 300; run++) {
      let at = 0;
      let isAvailable = false;
      const readings = Array.from({ length: 60 }, () => {
        at += 1 + random.below(20);
        if (random.below(4) === 0) isAvailable = !isAvailable;
        return { isAvailable, at };
      });
      // It becomes what all readings since one that lies far enough back are.
      const expected: string[] = [];
      let now = false;
      readings.forEach((reading, n) => {
        const last = readings.findLastIndex((one, m) => m < n && one.isAvailable !== reading.isAvailable);
        const from = readings[last + 1] ?? reading;
        const needed = announcedAfterSeconds[reading.isAvailable ? "available" : "unavailable"];
        if (reading.isAvailable === now || reading.at - from.at < needed) return;
        now = reading.isAvailable;
        expected.push(`${reading.at} ${now}`);
      });
      expect(announced(readings)).toEqual(expected);
    }
  });
});
