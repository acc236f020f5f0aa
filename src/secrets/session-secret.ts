// The secret of one session of the web console: 256 random bits, which its browser keeps in a cookie. Only the hash is ever
// stored. Used by rental/accounts, and by http/auth to tell a cookie that may be one.

import { randomBytes } from "node:crypto";
import { hashToken } from "./token.ts";

const form = /^[A-Za-z0-9_-]{43}$/;

/** A fresh secret of 43 letters of base64url, for one browser; and its hash, to be stored. */
export function newSessionSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(32).toString("base64url");
  return { secret, hash: hashSessionSecret(secret) };
}

/** SHA-256, for the reason that tokens have it. */
export function hashSessionSecret(secret: string): Buffer {
  return hashToken(secret);
}

/** Whether a text has the form of such a secret. Nothing else needs to be looked up. */
export function mayBeSessionSecret(text: string): boolean {
  return form.test(text);
}
