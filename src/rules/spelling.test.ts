import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { editDistance, nearest } from "./spelling.ts";

describe("nearest", () => {
  const words = ["launch", "launches", "lunch", "stop"];

  it.each([
    ["launhc", 3, ["launch"]],
    ["launch", 2, ["launch", "lunch"]],
    ["launch", 1, ["launch"]],
    ["terminate", 3, []],
    ["", 3, []],
  ])("to %s are, at most %i, %j", (word, most, found) => {
    expect(nearest(word, words, most)).toEqual(found);
  });

  it("of those that are equally close are first those that begin alike", () => {
    expect(nearest("gpu_1x_a600", ["gpu_1x_a10", "gpu_1x_a100", "gpu_1x_a6000"], 1)).toEqual(["gpu_1x_a6000"]);
  });

  it("keeps the order of those that are close and begin alike by as much", () => {
    expect(nearest("aaab", ["aaac", "aaad"], 2)).toEqual(["aaac", "aaad"]);
  });
});

describe("editDistance", () => {
  it.each([
    ["", "", 0],
    ["", "abc", 3],
    ["abc", "", 3],
    ["port", "prot", 1],
    ["kitten", "sitting", 3],
    ["ab", "ba", 1],
  ])("from %j to %j is %i", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  it("is nothing for the same word, the same both ways, and at most the longer length", () => {
    const word = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, a)).toBe(0);
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(editDistance(a, b)).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });
});
