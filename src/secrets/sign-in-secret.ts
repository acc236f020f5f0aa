// The secret of a sign-in link: 256 random bits after a prefix that begins as that of tokens, so that scanners find leaked
// ones. Only its hash is stored. Used by rental/people.

import { randomBytes } from "node:crypto";
import { hashToken, tokenPrefix } from "./token.ts";

/** The prefix of every such secret. */
export const signInPrefix = `${tokenPrefix}signin_`;

/** A new secret, to be sent once; and its hash, to be stored. */
export function newSignInSecret(): { secret: string; hash: Buffer } {
  const secret = `${signInPrefix}${randomBytes(32).toString("base64url")}`;
  return { secret, hash: hashToken(secret) };
}
