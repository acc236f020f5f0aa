import { describe, expect, it } from "vitest";
import { hashToken, newToken } from "./token.ts";

describe("a new token", () => {
  it("has a prefix that scanners can find, and 256 bits", () => {
    const { token } = newToken();
    expect(token).toMatch(/^lessor_[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(token.slice("lessor_".length), "base64url")).toHaveLength(32);
  });

  it("comes with its hash", () => {
    const { token, hash } = newToken();
    expect(hash).toEqual(hashToken(token));
  });

  it("is never the same again", () => {
    expect(new Set(Array.from({ length: 1000 }, () => newToken().token)).size).toBe(1000);
  });
});

describe("the hash of a token", () => {
  it("is SHA-256, as every replica and every later version must have it", () => {
    expect(hashToken("abc").toString("hex")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("tells tokens apart that differ in one letter", () => {
    expect(hashToken("lessor_a")).not.toEqual(hashToken("lessor_b"));
    expect(hashToken("lessor_a")).not.toEqual(hashToken("lessor_A"));
  });
});
