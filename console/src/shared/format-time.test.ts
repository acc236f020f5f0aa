// Moments and spans as people read them.

import { describe, expect, it } from "vitest";
import { relative } from "../../../src/rules/relative-time.ts";
import { changesIn, dayOf, monthOf, span } from "./format-time.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const ago = (seconds: number) => relative(now - seconds * 1000, now);

describe("how long ago", () => {
  it("is just now, then seconds, minutes, hours, days, months and years", () => {
    expect([0, 4, 5, 59].map(ago)).toEqual(["just now", "just now", "5 seconds ago", "59 seconds ago"]);
    expect([60, 3599].map(ago)).toEqual(["1 minute ago", "59 minutes ago"]);
    expect([3600, 86_399].map(ago)).toEqual(["1 hour ago", "23 hours ago"]);
    expect([86_400, 99 * 86_400].map(ago)).toEqual(["1 day ago", "99 days ago"]);
    expect([100 * 86_400, 364 * 86_400, 800 * 86_400].map(ago)).toEqual([
      "3 months ago",
      "11 months ago",
      "2 years ago",
    ]);
  });

  it("may lie ahead", () => {
    expect(relative(now + 2 * 86_400_000, now)).toBe("in 2 days");
    expect(relative(now + 80_000, now)).toBe("in 1 minute");
  });

  it("shows the lifetime that a token was given, also a moment later", () => {
    const shown = (days: number) => relative(now + days * 86_400_000 - 1_500, now);
    expect([7, 30, 90, 365].map(shown)).toEqual(["in 7 days", "in 30 days", "in 90 days", "in 1 year"]);
    expect(relative(now + 3_599_900, now)).toBe("in 1 hour");
  });

  it("is looked at again more rarely the longer ago it is", () => {
    const looks = [10, 600, 86_400].map((seconds) => changesIn(now - seconds * 1000, now));
    expect(looks).toEqual([...looks].sort((a, b) => a - b));
    expect(new Set(looks).size).toBe(3);
  });
});

describe("a span", () => {
  it("has its two largest units", () => {
    expect([0, 48, 65, 3600, 7500, 273_600, 86_400_000].map(span)).toEqual([
      "0 s",
      "48 s",
      "1 min 05 s",
      "1 h 00 min",
      "2 h 05 min",
      "3 d 4 h",
      "1,000 d 0 h",
    ]);
  });

  it("is never below nothing, though clocks differ", () => {
    expect(span(-3)).toBe("0 s");
  });
});

it("days and months have their names, wherever their reader is", () => {
  expect(dayOf("2026-03-18")).toBe("18 Mar");
  expect(monthOf("2026-03")).toBe("March 2026");
});
