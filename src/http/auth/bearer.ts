// The token in a request's Authorization header. Source: specification, Authentication; decisions, The lambda edition:
// clients of that family send it as a bearer token, or as the user name of HTTP Basic with an empty password: with or
// without base64 padding, and as that family's own documentation has it, with the colon after the base64 instead of in
// it, or without base64.

import { tokenPrefix } from "../../secrets/token.ts";
import { HttpError } from "../errors/api-error.ts";

/** The scheme in any case, then one token of visible ASCII characters. */
const bearer = /^bearer +([\x21-\x7e]+) *$/i;
const basic = /^basic +([A-Za-z0-9+/_-]+={0,2}):? *$/i;
/** User name, colon, empty password. A token has no colon. */
const onlyUser = /^([\x21-\x39\x3b-\x7e]+):?$/;

/** The token in a header, in any of these forms; undefined if there is none. */
export function tokenIn(header: string): string | undefined {
  const carried = bearer.exec(header)?.[1];
  if (carried !== undefined) return carried;
  const encoded = basic.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  if (encoded.startsWith(tokenPrefix)) return encoded;
  return onlyUser.exec(Buffer.from(encoded, "base64").toString("latin1"))?.[1];
}

/** Throws HttpError invalid-api-key. */
export function presentedToken(header: string | undefined): string {
  if (header === undefined || header === "") throw new HttpError("invalid-api-key", { reason: "missing" });
  const token = tokenIn(header);
  if (token === undefined) throw new HttpError("invalid-api-key", { reason: "malformed" });
  return token;
}
