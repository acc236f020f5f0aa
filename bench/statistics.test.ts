import { describe, expect, it } from "vitest";
import { fc } from "../test/support/properties.ts";
import { figureOf, median, percentile, ratioOf } from "./statistics.ts";

const some = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 });

describe("a median", () => {
  it.each([
    [[3], 3],
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[1, 1, 1000], 1],
  ])("of %j is %d", (values, middle) => expect(median(values)).toBe(middle));

  it("has as many values below as above", () => {
    fc.assert(
      fc.property(some, (values) => {
        const middle = median(values);
        const half = values.length / 2;
        expect(values.filter((value) => value < middle).length).toBeLessThanOrEqual(half);
        expect(values.filter((value) => value > middle).length).toBeLessThanOrEqual(half);
      }),
    );
  });

  it("of nothing is a mistake", () => expect(() => median([])).toThrow("BUG"));
});

describe("a percentile", () => {
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
  it.each([
    [0, 1],
    [50, 50],
    [99, 99],
    [100, 100],
  ])("%d of 1 to 100 is %d", (percent, value) => expect(percentile(hundred, percent)).toBe(value));

  it("is one of the values, and no smaller for a larger share", () => {
    fc.assert(
      fc.property(some, (values) => {
        expect(values).toContain(percentile(values, 50));
        expect(percentile(values, 99)).toBeGreaterThanOrEqual(percentile(values, 50));
      }),
    );
  });
});

describe("a figure", () => {
  it("tells the middle and how far the rounds were apart", () => {
    expect(figureOf([5, 1, 3])).toEqual({ median: 3, least: 1, most: 5 });
  });
});

describe("a ratio", () => {
  it("is that of rounds side by side: a machine that is half as fast for a while changes nothing", () => {
    expect(ratioOf([80, 40, 80], [100, 50, 100])).toEqual({ median: 0.8, least: 0.8, most: 0.8 });
  });

  it("refuses rounds without a partner", () => expect(() => ratioOf([1, 2], [1])).toThrow("BUG"));
  it.each([0, Number.NaN])("says when the other side did nothing (%d)", (nothing) => {
    expect(() => ratioOf([1], [nothing])).toThrow("came to nothing");
  });
});
