// Paths are understood however carelessly they are written, and every reader of a path sees one spelling.

import { describe, expect, it } from "vitest";
import { normalizeUrl } from "./paths.ts";

describe("a path", () => {
  it("has its unreserved characters decoded, and no other", () => {
    const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (let code = 0; code < 128; code += 1) {
      const letter = String.fromCharCode(code);
      const encoded = `%${code.toString(16).padStart(2, "0")}`;
      const expected = unreserved.includes(letter) ? letter : encoded;
      expect(normalizeUrl(`/a${encoded}`), encoded).toBe(`/a${expected}`);
    }
  });

  it("is decoded once, in either case of the digits, and its query is left alone", () => {
    expect(normalizeUrl("/%2561")).toBe("/%2561");
    expect(normalizeUrl("/%5F%5f%6E?a=%61")).toBe("/__n?a=%61");
    expect(normalizeUrl("/%zz%6")).toBe("/%zz%6");
  });
});
