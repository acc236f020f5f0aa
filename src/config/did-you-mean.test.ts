import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { didYouMean, editDistance } from "./did-you-mean.ts";

const settings = ["port", "host", "reference_port", "data_dir", "database_url", "limits", "max_quantity"];

describe("didYouMean", () => {
  it.each([
    ["prot", "port"],
    ["hosts", "host"],
    ["refrence_port", "reference_port"],
    ["databaseUrl", "database_url"],
    ["dataDir", "data_dir"],
    ["maxQuantity", "max_quantity"],
    ["LESSOR_PORT", "port"],
    ["LESSOR_DATA_DIR", "data_dir"],
    ["limit", "limits"],
  ])("takes %s for %s", (word, meant) => {
    expect(didYouMean(word, settings)).toBe(meant);
  });

  it.each(["colour", "", "x", "webhooks", "__proto__"])("has no idea for %j", (word) => {
    expect(didYouMean(word, settings)).toBeUndefined();
  });

  it("has no idea without candidates", () => {
    expect(didYouMean("port", [])).toBeUndefined();
  });

  it("prefers the exact word to a close one", () => {
    expect(didYouMean("host", ["hosts", "host", "post"])).toBe("host");
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
