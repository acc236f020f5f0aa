import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { checkKeyName } from "./key-name.ts";

describe("the name of an SSH key", () => {
  it.each(["a", "7", "ada@laptop", "my key", "work-2026_07.pub", "-", "@", ".", "x".repeat(64)])(
    "may be %j",
    (name) => {
      expect(checkKeyName(name)).toBeUndefined();
    },
  );

  it.each([
    "",
    "x".repeat(65),
    "a/b",
    "a\tb",
    "a\n",
    "\0",
    "ä",
    "日本",
    "a:b",
    "a\u00a0b",
    "<b>",
    "x".repeat(1_000_000),
  ])("may not be %j", (name) => {
    expect(checkKeyName(name)).toContain("1 to 64 letters");
  });

  it.each([" a", "a ", " ", "  a  "])("may not begin or end with a space: %j", (name) => {
    expect(checkKeyName(name)).toContain("begin or end with a space");
  });

  it("holds nothing but what is listed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 70 }), (name) => {
        const listed = Array.from(name).every((character) => /[A-Za-z0-9 ._@-]/.test(character));
        const fits = name.length >= 1 && name.length <= 64 && name.trim() === name;
        expect(checkKeyName(name) === undefined).toBe(listed && fits);
      }),
    );
  });

  it("is not repeated in a message, where it could break out", () => {
    expect(checkKeyName("<script>")).not.toContain("script");
  });
});
