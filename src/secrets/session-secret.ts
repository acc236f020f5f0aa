// The secret of a session of the web console: 256 random bits in a cookie. Only its hash is stored. Used by
// rental/accounts, and by http/auth to recognize the cookie.

import { randomBytes } from "node:crypto";
import { hashToken } from "./token.ts";

const form = /^[A-Za-z0-9_-]{43}$/;

/** A new secret of 43 letters of base64url, for one browser; and its hash, to be stored. */
export function newSessionSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(32).toString("base64url");
  return { secret, hash: hashSessionSecret(secret) };
}

/** SHA-256, for the same reason as for tokens. */
export function hashSessionSecret(secret: string): Buffer {
  return hashToken(secret);
}

/** Whether a text has the form of such a secret. Only such a text needs to be looked up. */
export function mayBeSessionSecret(text: string): boolean {
  return form.test(text);
}
