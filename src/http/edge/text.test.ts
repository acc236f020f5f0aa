import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { checkTree, excessOf, maxValues } from "./text.ts";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("the depth of a body", () => {
  it("may be 32, and not more, of lists and objects alike", () => {
    expect(excessOf(nested(32))).toBeUndefined();
    expect(excessOf(nested(33))).toBe("depth");
    expect(excessOf('{"a":'.repeat(33))).toBe("depth");
    expect(excessOf('{"a":['.repeat(17))).toBe("depth");
  });

  it("counts what is open at once, not what there is", () => {
    expect(excessOf(`[${Array.from({ length: 500 }, () => nested(30)).join(",")}]`)).toBeUndefined();
  });

  it("does not count brackets in texts, whatever stands before their ends", () => {
    for (const text of [
      "[".repeat(100),
      `\\"${"[".repeat(100)}`,
      `"${"{".repeat(100)}`,
      `\\\\${"[".repeat(100)}`,
      '\\"',
    ]) {
      expect(excessOf(JSON.stringify({ [text]: [text, text] }))).toBeUndefined();
    }
    expect(excessOf(`["\\\\",${nested(32)}]`)).toBe("depth");
  });

  it("is the same in the text as in what it says", () => {
    const leaf = fc.oneof(fc.string({ unit: fc.constantFrom("[", "]", "{", "}", '"', "\\", "a") }), fc.integer());
    const wrap = fc.array(fc.boolean(), { minLength: 28, maxLength: 36 });
    fc.assert(
      fc.property(leaf, wrap, (value, lists) => {
        const body = lists.reduce<unknown>((inner, isList) => (isList ? [inner, "}"] : { "[": inner }), value);
        expect(excessOf(JSON.stringify(body)) === "depth").toBe(!checkTree(body));
      }),
    );
  });

  it("is seen without parsing: a mebibyte of brackets at once", () => {
    const text = nested(524_288);
    const began = performance.now();
    expect(excessOf(text)).toBe("depth");
    // Parsing it takes some 400 ms.
    expect(performance.now() - began).toBeLessThan(100);
  });
});

describe("the number of values of a body", () => {
  const repeated = (text: string, count: number) => Array.from({ length: count }, () => text).join(",");

  it.each([
    ["in a list", (count: number) => `[${repeated("0", count - 1)}]`],
    ["in an object", (count: number) => `{${repeated('"a,[{":0', count - 1)}}`],
    ["in lists of one", (count: number) => `[${repeated("[0]", (count - 2) / 2)}]`],
  ])("is limited: %s", (_where, withValues) => {
    expect(excessOf(withValues(maxValues))).toBeUndefined();
    expect(excessOf(withValues(maxValues + 2))).toBe("values");
  });
});
