import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { checkTree, isNestedTooDeeply } from "./text.ts";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("the depth of a body", () => {
  it("may be 32, and not more, of lists and objects alike", () => {
    expect(isNestedTooDeeply(nested(32))).toBe(false);
    expect(isNestedTooDeeply(nested(33))).toBe(true);
    expect(isNestedTooDeeply('{"a":'.repeat(33))).toBe(true);
    expect(isNestedTooDeeply('{"a":['.repeat(17))).toBe(true);
  });

  it("counts what is open at once, not what there is", () => {
    expect(isNestedTooDeeply(`[${Array.from({ length: 1000 }, () => nested(30)).join(",")}]`)).toBe(false);
  });

  it("does not count brackets in texts, whatever stands before their ends", () => {
    for (const text of [
      "[".repeat(100),
      `\\"${"[".repeat(100)}`,
      `"${"{".repeat(100)}`,
      `\\\\${"[".repeat(100)}`,
      '\\"',
    ]) {
      expect(isNestedTooDeeply(JSON.stringify({ [text]: [text, text] }))).toBe(false);
    }
    expect(isNestedTooDeeply(`["\\\\",${nested(32)}]`)).toBe(true);
  });

  it("is the same in the text as in what it says", () => {
    const leaf = fc.oneof(fc.string({ unit: fc.constantFrom("[", "]", "{", "}", '"', "\\", "a") }), fc.integer());
    const wrap = fc.array(fc.boolean(), { minLength: 28, maxLength: 36 });
    fc.assert(
      fc.property(leaf, wrap, (value, lists) => {
        const body = lists.reduce<unknown>((inner, isList) => (isList ? [inner, "}"] : { "[": inner }), value);
        expect(isNestedTooDeeply(JSON.stringify(body))).toBe(!checkTree(body));
      }),
    );
  });

  it("is seen without parsing: a mebibyte of brackets at once", () => {
    const text = nested(524_288);
    const began = performance.now();
    expect(isNestedTooDeeply(text)).toBe(true);
    // Parsing it takes some 400 ms.
    expect(performance.now() - began).toBeLessThan(100);
  });
});
