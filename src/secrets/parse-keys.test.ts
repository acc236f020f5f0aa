import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { BadKeys, parseKeyList, parseKeys } from "./parse-keys.ts";

const key = randomBytes(32);

describe("the text of encryption keys", () => {
  it.each([
    ["base64", key.toString("base64")],
    ["base64 without padding", key.toString("base64").replace("=", "")],
    ["base64url", key.toString("base64url")],
    ["base64url with padding", `${key.toString("base64url")}=`],
    ["hexadecimal digits", key.toString("hex")],
    ["hexadecimal digits in upper case", key.toString("hex").toUpperCase()],
    ["any of them between white space", ` \t${key.toString("base64")}\n`],
  ])("may be %s", (_form, text) => {
    expect(parseKeys(text)).toEqual([key]);
  });

  it("reads every key in every form", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const any = Buffer.from(bytes);
        for (const form of ["base64", "base64url", "hex"] as const)
          expect(parseKeys(any.toString(form))).toEqual([any]);
      }),
    );
  });

  it("keeps the order of several, whatever their forms", () => {
    const older = randomBytes(32);
    expect(parseKeys(`${key.toString("hex")}, ${older.toString("base64")}`)).toEqual([key, older]);
  });

  it.each([
    ["nothing", ""],
    ["a password", "correct horse battery staple"],
    ["31 bytes", randomBytes(31).toString("base64")],
    ["33 bytes", randomBytes(33).toString("base64")],
    ["63 digits", "a".repeat(63)],
    ["65 digits", "a".repeat(65)],
    ["16 bytes in digits", "ab".repeat(16)],
    ["junk between the letters", `${"A".repeat(20)}!${"A".repeat(23)}=`],
    ["junk behind the padding", `${"A".repeat(43)}=A`],
    ["padding too much", `${"A".repeat(43)}==`],
    ["unused bits that are not zero", `${"A".repeat(42)}B=`],
    ["a comma too much", `${key.toString("hex")},`],
  ])("is refused when it is %s", (_what, text) => {
    expect(() => parseKeys(text)).toThrow(BadKeys);
  });

  it("says which of several is meant, and shows none", () => {
    const text = `${key.toString("hex")},hunter2`;
    expect(() => parseKeys(text)).toThrow(
      "Key 2 of 2 must be 32 bytes, in base64 (44 characters) or as 64 hexadecimal digits.",
    );
  });

  it("may not hold the same key twice, in whatever forms", () => {
    expect(() => parseKeys(`${key.toString("hex")},${key.toString("base64")}`)).toThrow(
      "The same key is specified twice.",
    );
  });

  it("holds at least one", () => {
    expect(() => parseKeyList([])).toThrow("There must be at least one key.");
  });
});
