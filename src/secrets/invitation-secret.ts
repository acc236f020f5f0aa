// The secret of an invitation to a team: 256 random bits after a prefix that begins as that of
// tokens, so that scanners find leaked ones. Only its hash is stored. Used by rental/people.

import { randomBytes } from "node:crypto";
import { hashToken, tokenPrefix } from "./token.ts";

/** The prefix of every such secret. */
export const invitationPrefix = `${tokenPrefix}invite_`;

/** A new secret, to be shown once; and its hash, to be stored. */
export function newInvitationSecret(): { secret: string; hash: Buffer } {
  const secret = `${invitationPrefix}${randomBytes(32).toString("base64url")}`;
  return { secret, hash: hashToken(secret) };
}
