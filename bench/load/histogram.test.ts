import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { percentile } from "../statistics.ts";
import { Histogram } from "./histogram.ts";

describe("a histogram of durations", () => {
  it("knows every percentile to within 3 per cent, and never tells less", () => {
    const durations = fc.array(fc.double({ min: 1, max: 6e7, noNaN: true }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(durations, fc.integer({ min: 0, max: 100 }), (microseconds, percent) => {
        const histogram = new Histogram();
        for (const one of microseconds) histogram.add(one);
        const exact = percentile(microseconds, percent) / 1000;
        expect(histogram.percentileMs(percent)).toBeGreaterThanOrEqual(exact * 0.999999);
        expect(histogram.percentileMs(percent)).toBeLessThanOrEqual(exact * 1.03);
      }),
    );
  });

  it("takes what is too short or too long", () => {
    const histogram = new Histogram();
    for (const one of [0, 0.4, 1e12]) histogram.add(one);
    expect(histogram.total).toBe(3);
  });

  it("is the same after travelling as its counts", () => {
    const histogram = new Histogram();
    for (const one of [10, 20, 4000]) histogram.add(one);
    expect(new Histogram(JSON.parse(JSON.stringify(histogram.counts))).percentileMs(100)).toBe(
      histogram.percentileMs(100),
    );
  });

  it("of nothing has no percentiles", () => expect(() => new Histogram().percentileMs(50)).toThrow("BUG"));
});
