// The token in a request's Authorization header. Source: specification, Authentication.

import { HttpRefusal } from "../errors/refusal.ts";

/** The scheme in any case, then one token of visible ASCII characters. */
const bearer = /^bearer +([\x21-\x7e]+) *$/i;

/** Throws HttpRefusal invalid-api-key. */
export function bearerToken(header: string | undefined): string {
  if (header === undefined || header === "") throw new HttpRefusal("invalid-api-key", { reason: "missing" });
  const token = bearer.exec(header)?.[1];
  if (token === undefined) throw new HttpRefusal("invalid-api-key", { reason: "malformed" });
  return token;
}
