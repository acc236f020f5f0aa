import { expect, it } from "vitest";
import { hashSessionSecret, mayBeSessionSecret, newSessionSecret } from "./session-secret.ts";
import { newToken } from "./token.ts";

it("a secret is 256 bits that never come again, in letters that a cookie may hold, with the hash that finds it", () => {
  const made = Array.from({ length: 100 }, newSessionSecret);
  expect(new Set(made.map(({ secret }) => secret)).size).toBe(100);
  for (const { secret, hash } of made) {
    expect(Buffer.from(secret, "base64url")).toHaveLength(32);
    expect(secret).toMatch(/^[\w-]+$/);
    expect(hashSessionSecret(secret)).toEqual(hash);
    expect(hash.toString("latin1")).not.toContain(secret);
  }
});

it("what cannot be one is told by its form: too short, too long, other letters, a token", () => {
  const { secret } = newSessionSecret();
  expect(mayBeSessionSecret(secret)).toBe(true);
  const others = ["", secret.slice(1), `${secret}A`, `${secret.slice(1)}=`, ` ${secret}`, `${secret}\n`];
  for (const text of [...others, newToken().token]) expect(mayBeSessionSecret(text), text).toBe(false);
});
