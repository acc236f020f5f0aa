// The codes of a sign-in of the command line (RFC 8628): the secret of the command line, 256 random bits, and the code that a
// person types, eight letters without vowels, so that they form no words: 34 bits. Used by rental/people.

import { randomBytes, randomInt } from "node:crypto";
import { hashToken, tokenPrefix } from "./token.ts";

const letters = "BCDFGHJKLMNPQRSTVWXZ";
const length = 8;

/** A new secret, to be shown once; and its hash, to be stored. */
export function newDeviceSecret(): { secret: string; hash: Buffer } {
  const secret = `${tokenPrefix}device_${randomBytes(32).toString("base64url")}`;
  return { secret, hash: hashToken(secret) };
}

/** Such as BCDF-GHJK. */
export function newUserCode(): string {
  const code = Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** The code that was typed, in any case, with or without its hyphen and with spaces. */
export function userCodeIn(typed: string): string {
  const code = typed.toUpperCase().replaceAll(/[^A-Z]/g, "");
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
