// The money axis of a chart.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { moneyAxis } from "./axis-ticks.ts";

const labels = (highest: number) => {
  const { ticks, label } = moneyAxis(highest);
  return ticks.map(label);
};

describe("the ticks", () => {
  it("are even, with separators, and as many digits each", () => {
    expect(labels(1183)).toEqual(["$0", "$500", "$1,000", "$1,500"]);
    expect(labels(4800)).toEqual(["$0", "$1,000", "$2,000", "$3,000", "$4,000", "$5,000"]);
    expect(labels(0.67)).toEqual(["$0.00", "$0.20", "$0.40", "$0.60", "$0.80"]);
    expect(labels(0.013)).toEqual(["$0.000", "$0.005", "$0.010", "$0.015"]);
  });

  it("are there where nothing was spent", () => {
    expect(labels(0)).toEqual(["$0.00", "$0.20"]);
  });

  it("go below nothing where money is owed", () => {
    const { ticks, label } = moneyAxis(1200, -300);
    expect(ticks.map(label)).toEqual(["−$500", "$0", "$500", "$1,000", "$1,500"]);
    expect(moneyAxis(0, -40).ticks).toEqual([-40, -30, -20, -10, 0].filter((tick) => tick % 10 === 0));
    expect(Object.is(moneyAxis(0).ticks[0], 0)).toBe(true);
  });

  it("reach from nothing over every value in few steps of 1, 2 or 5", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.0001, max: 1e9, noNaN: true }), (highest) => {
        const { ticks } = moneyAxis(highest);
        const step = ticks[1] ?? 0;
        expect(ticks[0]).toBe(0);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest * (1 - 1e-8));
        expect(ticks.length).toBeLessThanOrEqual(6);
        expect([1, 2, 5]).toContain(Number(step.toExponential().split("e")[0]));
        for (const [index, tick] of ticks.entries()) expect(tick).toBeCloseTo(index * step, 6);
      }),
    );
  });
});
