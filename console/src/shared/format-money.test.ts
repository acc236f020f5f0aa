// Money as people read it.

import { describe, expect, it } from "vitest";
import { dollars, exactPrice, microCents, moneyOf, priceOf } from "./format-money.ts";

describe("an amount", () => {
  it("is dollars with two digits, and commas between thousands", () => {
    expect(moneyOf(0)).toBe("$0.00");
    expect(moneyOf(5)).toBe("$0.05");
    expect(moneyOf(249)).toBe("$2.49");
    expect(moneyOf(123_456_789)).toBe("$1,234,567.89");
    expect(moneyOf("100000.000000")).toBe("$1,000.00");
  });

  it("is rounded half up, and only when it is shown", () => {
    expect(moneyOf("0.500000")).toBe("$0.01");
    expect(moneyOf("249.499999")).toBe("$2.49");
    expect(moneyOf("249.500000")).toBe("$2.50");
    expect(dollars(microCents("0.400000") + microCents("0.400000"))).toBe("$0.01");
  });

  it("that is less than a cent is not shown as nothing", () => {
    expect(moneyOf("0.000001")).toBe("< $0.01");
    expect(moneyOf("0.499999")).toBe("< $0.01");
    expect(moneyOf("0.000000")).toBe("$0.00");
  });

  it("has as many digits as are asked for", () => {
    expect(moneyOf("1.037500", 4)).toBe("$0.0104");
    expect(moneyOf("1.037500", 8)).toBe("$0.01037500");
  });

  it("is exact where a float is not", () => {
    expect(microCents("9007199254740993.000001")).toBe(9_007_199_254_740_993_000_001n);
    expect(microCents(0.1)).toBe(100_000n);
  });

  it("may be below nothing", () => {
    expect(moneyOf(-249)).toBe("−$2.49");
  });

  it("that is none is a defect", () => {
    for (const wrong of ["", "1e3", "1.1234567", "NaN", "1,5"]) expect(() => microCents(wrong)).toThrow("BUG");
  });
});

describe("a price", () => {
  it("is not rounded to what it is not", () => {
    expect(priceOf("67.500000")).toBe("$0.675");
    expect(priceOf("217.875000")).toBe("$2.17875");
    expect(exactPrice(microCents("0.000001"))).toBe("$0.00000001");
  });

  it("has two digits where it needs no more, and commas between thousands", () => {
    expect(priceOf(75)).toBe("$0.75");
    expect(priceOf(2000)).toBe("$20.00");
    expect(priceOf("123456789.500000")).toBe("$1,234,567.895");
  });
});
