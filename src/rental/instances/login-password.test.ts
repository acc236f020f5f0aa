import { describe, expect, it } from "vitest";
import { newLoginPassword } from "./login-password.ts";

describe("a login password", () => {
  const many = Array.from({ length: 20_000 }, newLoginPassword);

  it("is a whole number of 15 digits that JSON carries exactly", () => {
    for (const password of many) {
      expect(Number.isSafeInteger(password)).toBe(true);
      expect(String(password)).toMatch(/^[1-9]\d{14}$/);
      expect(JSON.parse(JSON.stringify(password))).toBe(password);
    }
  });

  it("is never the same again", () => {
    expect(new Set(many).size).toBe(many.length);
  });

  it("has every digit equally often at every place", () => {
    for (let place = 0; place < 15; place++) {
      const digits = place === 0 ? 9 : 10;
      const seen = new Map<string, number>();
      for (const password of many) {
        const digit = String(password).charAt(place);
        seen.set(digit, (seen.get(digit) ?? 0) + 1);
      }
      expect(seen.size).toBe(digits);
      // A digit's count has a standard deviation of about 42; ten of them is never reached by chance.
      for (const count of seen.values()) expect(Math.abs(count - many.length / digits)).toBeLessThan(450);
    }
  });
});
