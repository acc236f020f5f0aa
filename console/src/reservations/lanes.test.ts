// Where the bars of a calendar are.

import { describe, expect, it } from "vitest";
import { daysOf, lanesOf, placeOf } from "./lanes.ts";

const hour = 3_600_000;
const span = (from: number, to: number) => ({ fromMs: from * hour, toMs: to * hour });

describe("a span in a calendar", () => {
  it.each([
    [span(0, 5), { left: 0, width: 50 }],
    [span(-3, 2), { left: 0, width: 20 }],
    [span(8, 30), { left: 80, width: 20 }],
    [span(-3, 30), { left: 0, width: 100 }],
    [span(10, 12), undefined],
    [span(-3, 0), undefined],
  ])("%j is at %j percent", (one, place) => {
    expect(placeOf(one, span(0, 10))).toEqual(place);
  });
});

it("bars that overlap are in lanes of their own, and lanes are used again", () => {
  const bars = [span(4, 6), span(0, 5), span(5, 9), span(0, 2)];
  expect(lanesOf(bars)).toEqual([
    [span(0, 5), span(5, 9)],
    [span(0, 2), span(4, 6)],
  ]);
  expect(lanesOf([])).toEqual([]);
  expect(lanesOf([span(0, 2), span(2, 9)], hour * 3)).toEqual([[span(0, 2)], [span(2, 9)]]);
});

it("days begin at midnight in UTC, and are few", () => {
  expect(daysOf(span(20, 100)).map((ms) => ms / hour)).toEqual([24, 48, 72, 96]);
  expect(daysOf(span(0, 24)).map((ms) => ms / hour)).toEqual([0]);
  expect(daysOf(span(1, 24 * 90)).length).toBeLessThanOrEqual(7);
});
