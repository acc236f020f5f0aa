// The gate every operation stands behind: token, rate limit, account, scope, in this order and before a body is read.
// Source: specification, Authentication; decisions "Errors, limits, headers" (tokens, scopes).

import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuthenticatedToken } from "../../rental/accounts/index.ts";
import type { Scope, Tenant } from "../../rental/service.ts";
import { hashToken } from "../../secrets/token.ts";
import { HttpRefusal } from "../errors/refusal.ts";
import type { RateLimit } from "../rate-limit.ts";
import { bearerToken } from "./bearer.ts";
import type { TokenLookup } from "./token-lookup.ts";

/** Lets a request in whose token has one of the scopes, or throws HttpRefusal. Sets `request.tenant`. */
export type Gate = (request: FastifyRequest, reply: FastifyReply, scope: Scope, ...orElse: Scope[]) => Promise<void>;

export function createGate(parts: {
  lookup: TokenLookup;
  rateLimit: RateLimit;
  noteUse: (tokenId: string) => void;
}): Gate {
  return async (request, reply, scope, ...orElse) => {
    const token = bearerToken(request.headers.authorization);
    const { tenant, accountStatus } = valid(await parts.lookup(hashToken(token)));
    // Set before anything else is refused, so that the log says whose request it was.
    request.tenant = tenant;
    parts.noteUse(tenant.tokenId);
    await parts.rateLimit(request, reply, tenant.tokenId);
    if (accountStatus !== "active") throw new HttpRefusal("account-inactive", {});
    if (![scope, ...orElse].some((one) => tenant.scopes.has(one))) throw new HttpRefusal("forbidden", { scope });
  };
}

/** The tenant of a request behind the gate. */
export function tenantOf(request: FastifyRequest): Tenant {
  if (request.tenant === null) throw new Error("BUG: this route is not behind the gate");
  return request.tenant;
}

function valid(found: AuthenticatedToken | undefined): AuthenticatedToken {
  if (found === undefined) throw new HttpRefusal("invalid-api-key", { reason: "unknown" });
  if (found.revoked) throw new HttpRefusal("invalid-api-key", { reason: "revoked" });
  if (found.expired) throw new HttpRefusal("invalid-api-key", { reason: "expired" });
  return found;
}
