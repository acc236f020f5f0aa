import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { costBetween, costMicroCents, dollars6, dollarsNumber, type Price } from "./cost.ts";

const cents = fc.integer({ min: 0, max: 2_147_483_647 });
const basisPoints = fc.integer({ min: 0, max: 10_000 });
const price: fc.Arbitrary<Price> = fc.record({ priceCentsPerHour: cents, discountBasisPoints: basisPoints });
/** Up to ten years. */
const seconds = fc.integer({ min: 0, max: 315_360_000 });

const ascending = (times: readonly number[]) => [...times].sort((a, b) => a - b);

describe("what time costs", () => {
  it.each([
    // cents an hour, basis points off, seconds, micro-cents
    [129, 0, 3600, 129_000_000n],
    [129, 0, 1800, 64_500_000n],
    [129, 1000, 3600, 116_100_000n],
    [129, 0, 1, 35_833n],
    [1, 0, 1, 277n],
    [1, 9999, 1, 0n],
    [1, 9999, 36, 1n],
    [129, 10_000, 3600, 0n],
    [0, 0, 3600, 0n],
    [129, 0, 0, 0n],
  ])("is, for %i ¢/h less %i bp over %i s, %i micro-cents", (priceCentsPerHour, discountBasisPoints, time, cost) => {
    expect(costMicroCents({ priceCentsPerHour, discountBasisPoints, seconds: time })).toBe(cost);
  });

  it("is the exact cost, rounded down by less than one micro-cent", () => {
    fc.assert(
      fc.property(price, seconds, (frozen, time) => {
        // In units of 1/36 micro-cent, where everything is whole: 10^6 / (3600 × 10^4) = 1/36.
        const exact = BigInt(frozen.priceCentsPerHour) * BigInt(10_000 - frozen.discountBasisPoints) * BigInt(time);
        const lost = exact - 36n * costMicroCents({ ...frozen, seconds: time });
        expect(lost >= 0n && lost < 36n).toBe(true);
      }),
    );
  });

  it("is exact for whole hours", () => {
    fc.assert(
      fc.property(price, fc.integer({ min: 0, max: 87_600 }), (frozen, hours) => {
        const { priceCentsPerHour, discountBasisPoints } = frozen;
        const exact = BigInt(priceCentsPerHour) * BigInt(10_000 - discountBasisPoints) * 100n * BigInt(hours);
        expect(costMicroCents({ ...frozen, seconds: hours * 3600 })).toBe(exact);
      }),
    );
  });

  it("never falls with time or price, and never rises with the discount", () => {
    fc.assert(
      fc.property(price, price, seconds, seconds, (one, other, a, b) => {
        const [early = 0, late = 0] = ascending([a, b]);
        const [cheap = 0, dear = 0] = ascending([one.priceCentsPerHour, other.priceCentsPerHour]);
        const [small = 0, large = 0] = ascending([one.discountBasisPoints, other.discountBasisPoints]);
        const least = costMicroCents({ priceCentsPerHour: cheap, discountBasisPoints: large, seconds: early });
        const most = costMicroCents({ priceCentsPerHour: dear, discountBasisPoints: small, seconds: late });
        expect(least <= most).toBe(true);
      }),
    );
  });

  it("does not overflow: a year of a thousand of the dearest machines there can be", () => {
    const year = costMicroCents({ priceCentsPerHour: 2_147_483_647, discountBasisPoints: 0, seconds: 31_536_000 });
    expect(year * 1000n).toBe(2_147_483_647n * 8760n * 1_000_000n * 1000n);
  });
});

describe("what parts of the time cost", () => {
  it("adds up to the whole, however the time is cut", () => {
    fc.assert(
      fc.property(price, fc.array(seconds, { minLength: 2, maxLength: 30 }), (frozen, times) => {
        const cuts = ascending(times);
        const first = cuts.at(0) ?? 0;
        const last = cuts.at(-1) ?? 0;
        const parts = cuts.slice(1).map((to, index) => costBetween(frozen, cuts[index] ?? 0, to));
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(costBetween(frozen, first, last));
      }),
    );
  });

  it("adds up second by second, although no second's cost is whole", () => {
    const frozen = { priceCentsPerHour: 129, discountBasisPoints: 333 };
    let sum = 0n;
    for (let second = 0; second < 3600; second++) sum += costBetween(frozen, second, second + 1);
    expect(sum).toBe(129n * 9667n * 100n);
  });

  it("is never negative, and nothing for no time", () => {
    fc.assert(
      fc.property(price, seconds, seconds, (frozen, a, b) => {
        const [from = 0, to = 0] = ascending([a, b]);
        expect(costBetween(frozen, from, to) >= 0n).toBe(true);
        expect(costBetween(frozen, to, to)).toBe(0n);
        expect(costBetween(frozen, 0, to)).toBe(costMicroCents({ ...frozen, seconds: to }));
      }),
    );
  });

  it("cannot run backwards", () => {
    expect(() => costBetween({ priceCentsPerHour: 1, discountBasisPoints: 0 }, 2, 1)).toThrow("BUG");
  });
});

describe("the price of an hour", () => {
  it.each([
    [129, 0, "1.290000", 1.29],
    [129, 1000, "1.161000", 1.161],
    [129, 3333, "0.860043", 0.860043],
    [1, 0, "0.010000", 0.01],
    [1, 9999, "0.000001", 0.000001],
    [0, 0, "0.000000", 0],
    [129, 10_000, "0.000000", 0],
    [100, 0, "1.000000", 1],
    [123_456_789, 1, "1234444.433211", 1_234_444.433211],
  ])("of %i ¢ less %i bp is $%s", (priceCentsPerHour, discountBasisPoints, text, number) => {
    expect(dollars6(priceCentsPerHour, discountBasisPoints)).toBe(text);
    expect(dollarsNumber(priceCentsPerHour, discountBasisPoints)).toBe(number);
  });

  it("is the list price when nothing is said of a discount", () => {
    expect(dollars6(129)).toBe("1.290000");
    expect(dollarsNumber(129)).toBe(1.29);
  });

  it("is exact to the last digit, with six of them behind the point and none too many before it", () => {
    fc.assert(
      fc.property(cents, basisPoints, (priceCentsPerHour, discountBasisPoints) => {
        const text = dollars6(priceCentsPerHour, discountBasisPoints);
        expect(text).toMatch(/^(0|[1-9]\d*)\.\d{6}$/);
        expect(BigInt(text.replace(".", ""))).toBe(BigInt(priceCentsPerHour) * BigInt(10_000 - discountBasisPoints));
      }),
    );
  });

  it("is written in JSON as the same decimal, without the zeros at its end", () => {
    fc.assert(
      fc.property(cents, basisPoints, (priceCentsPerHour, discountBasisPoints) => {
        const written = JSON.stringify(dollarsNumber(priceCentsPerHour, discountBasisPoints));
        const text = dollars6(priceCentsPerHour, discountBasisPoints);
        // The smallest price that is not zero, 0.000001, is where JSON would begin to write exponents.
        expect(written).toBe(text.replace(/\.?0+$/, "") || "0");
      }),
    );
  });

  it("agrees with what an hour costs", () => {
    fc.assert(
      fc.property(price, (frozen) => {
        const dollars = dollars6(frozen.priceCentsPerHour, frozen.discountBasisPoints);
        // A dollar is 10^8 micro-cents, and the text has 10^-6 dollars.
        expect(costMicroCents({ ...frozen, seconds: 3600 })).toBe(BigInt(dollars.replace(".", "")) * 100n);
      }),
    );
  });
});

describe("what is no money", () => {
  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("is not calculated with: %d", (bad) => {
    const good = { priceCentsPerHour: 1, discountBasisPoints: 0, seconds: 1 };
    expect(() => costMicroCents({ ...good, priceCentsPerHour: bad })).toThrow("BUG: priceCentsPerHour");
    expect(() => costMicroCents({ ...good, discountBasisPoints: bad })).toThrow("BUG");
    expect(() => costMicroCents({ ...good, seconds: bad })).toThrow("BUG: seconds");
    expect(() => dollars6(bad)).toThrow("BUG");
  });

  it("is a discount of more than everything", () => {
    expect(() => dollars6(1, 10_001)).toThrow("BUG");
  });
});
