// The gate every operation stands behind: token, rate limit, account, scope, in this order and before a body is read.
// Source: specification, Authentication; decisions "Errors, limits, headers" (tokens, scopes).
//
// An address from which too many requests came without a valid token is told to wait, before anything is looked up; but
// not with a token that was good from there a short while ago (known-good.ts), and one in a while that is new there is
// looked up (first-look.ts). What is under way at that moment is not counted yet, so a burst may have more looked up than
// the limit: all requests of one tick share one query.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuthenticatedToken } from "../../rental/accounts/index.ts";
import type { Scope, Tenant } from "../../rental/service.ts";
import { hashToken } from "../../secrets/token.ts";
import { addressGroup } from "../client-address.ts";
import { HttpRefusal } from "../errors/refusal.ts";
import type { HandedOn } from "../kept/index.ts";
import type { RateLimits } from "../rate-limit.ts";
import { presentedToken, tokenIn } from "./bearer.ts";
import { createFirstLook } from "./first-look.ts";
import type { KnownGood } from "./known-good.ts";
import type { TokenLookup } from "./token-lookup.ts";

/** Lets a request in whose token has one of the scopes, or throws HttpRefusal. Sets `request.tenant`. */
export type Gate = (request: FastifyRequest, reply: FastifyReply, scope: Scope, ...orElse: Scope[]) => Promise<void>;

export function createGate(parts: {
  lookup: TokenLookup;
  rateLimits: RateLimits;
  noteUse: (tokenId: string) => void;
  knownGood: KnownGood;
  /** Look-ups that were begun for requests before they came here. */
  handedOn: HandedOn;
}): Gate {
  const { lookup, rateLimits, noteUse, knownGood, handedOn } = parts;
  const firstLook = createFirstLook();

  async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<AuthenticatedToken> {
    const { authorization } = request.headers;
    const address = addressGroup(request.clientAddress);
    const shown = hashToken(authorization ?? "");
    const mayBeNew = () => tokenIn(authorization ?? "") !== undefined && firstLook.take(address, shown);
    if (!knownGood.has(address, shown)) rateLimits.refuseAfterFailures(request, reply, mayBeNew);
    try {
      const token = presentedToken(authorization);
      const found = await (handedOn.lookUpOf(request.raw) ?? lookup(hashToken(token).toString("hex")));
      request.presentedBy = found?.tenant ?? null;
      request.moment = found?.moment ?? null;
      request.compatibilityVersion = found?.compatibilityVersion ?? null;
      const good = valid(found);
      knownGood.note(address, shown);
      return good;
    } catch (error) {
      if (error instanceof HttpRefusal) {
        knownGood.forget(address, shown);
        firstLook.noteFailed(address, shown);
        rateLimits.noteFailure(request);
      }
      throw error;
    }
  }

  return async (request, reply, scope, ...orElse) => {
    const { tenant, accountStatus } = await authenticate(request, reply);
    // Set before anything else is refused, so that the log says whose request it was.
    request.tenant = tenant;
    noteUse(tenant.tokenId);
    rateLimits.token(request, reply, tenant.tokenId);
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
