import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { spread } from "./spread.ts";

describe("labels", () => {
  it("stay where they are while they do not overlap", () => {
    expect(spread([10, 50, 90], 20, 0, 100)).toEqual([10, 50, 90]);
  });

  it("that overlap are spread around their middle", () => {
    expect(spread([50, 50, 50], 20, 0, 100)).toEqual([30, 50, 70]);
  });

  it("push others that were well before", () => {
    expect(spread([30, 51, 51], 20, 0, 100)).toEqual([24, 44, 64]);
  });

  it("are apart, in order and within the chart", () => {
    const ys = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(ys, (wanted) => {
        const sorted = wanted.toSorted((a, b) => a - b);
        const found = spread(sorted, 20, 0, 400);
        const gaps = found.slice(1).map((y, i) => y - (found[i] ?? 0));
        expect(Math.min(...gaps, 20)).toBeGreaterThanOrEqual(20 - 1e-9);
        expect(Math.min(...found)).toBeGreaterThanOrEqual(-1e-9);
        expect(Math.max(...found)).toBeLessThanOrEqual(400 + 1e-9);
      }),
    );
  });
});
