// API tokens: 256 random bits after a fixed prefix, so that scanners find leaked ones. Only the hash is stored.
// Source: decisions, "Errors, limits, headers". Used by rental/accounts and http/auth.

import { createHash, randomBytes } from "node:crypto";

/** The prefix of every token. */
export const tokenPrefix = "lessor_";

/** A new token, the prefix and 43 letters of base64url, to be shown once; and its hash, to be stored. */
export function newToken(): { token: string; hash: Buffer } {
  const token = `${tokenPrefix}${randomBytes(32).toString("base64url")}`;
  return { token, hash: hashToken(token) };
}

/** SHA-256 of a token's UTF-8 bytes. A slow hash would add nothing: 256 random bits cannot be guessed. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
