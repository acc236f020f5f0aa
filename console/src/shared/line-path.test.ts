// Where the lines of a chart run, and where they have gaps.

import { describe, expect, it } from "vitest";
import { evenTop, linePath, pointAt } from "./line-path.ts";

const size = { width: 40, height: 10 };

describe("the path of a line", () => {
  it.each<[string, (number | null)[], string]>([
    ["without values", [null, null], ""],
    ["between two values", [0, 100], "M10 10h0L30 0"],
    ["over values that are missing here and there", [0, null, 50, 100], "M5 10h0L25 5L35 0"],
    ["with a gap", [0, null, null, null, 100], "M4 10h0M36 0h0"],
    ["that stays within the chart", [-5, 500], "M10 10h0L30 0"],
  ])("%s", (_what, values, path) => {
    expect(linePath(values, 100, size)).toBe(path);
  });

  it("has its values where the pointer is", () => {
    expect([-1, 0, 0.24, 0.26, 0.99, 1, 2].map((share) => pointAt(share, 4))).toEqual([0, 0, 0, 1, 3, 3, 3]);
  });

  it("ends at an even number", () => {
    expect([0, 0.3, 1, 3, 70, 101, 501].map(evenTop)).toEqual([1, 0.5, 1, 5, 100, 200, 1000]);
  });
});
