// Whether a token can still be used. Pure. Used by the pages of tokens and of the team.

import type { Shape } from "../../../src/client/client.ts";

type Ends = Pick<Shape<"Token">, "revoked_at" | "expires_at">;
type TokenState = "Valid" | "Expired" | "Revoked";

/** `now`: milliseconds since 1970. */
export function tokenState({ revoked_at, expires_at }: Ends, now: number): TokenState {
  if (revoked_at !== null) return "Revoked";
  return expires_at !== null && Date.parse(expires_at) <= now ? "Expired" : "Valid";
}

export const isOver = (token: Ends, now: number): boolean => tokenState(token, now) !== "Valid";
