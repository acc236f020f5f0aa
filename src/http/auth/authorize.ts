// Authorization of every operation: token, rate limit, account, scope, right of the role, in this order and before a body
// is read. Of the token's scopes, the principal of the request has those that count for the right (people/permits.ts).
// Source: specification, Authentication; decisions "Errors, limits, headers" (tokens, scopes).
//
// A request without an Authorization header may use the console's cookie instead if the route accepts it (`cookie` in
// its config: the control interface only) and it comes from the console (from-console.ts). Anywhere else the cookie is
// ignored: the request has no token.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuthenticatedSession } from "../../rental/accounts/console-sessions.ts";
import type { AuthenticatedToken } from "../../rental/accounts/token-store.ts";
import { forbids, scopesWith, throughOf } from "../../rental/people/permits.ts";
import type { Principal, Scope } from "../../rental/service.ts";
import type { Right } from "../../rules/roles.ts";
import { hashSessionSecret } from "../../secrets/session-secret.ts";
import { hashToken } from "../../secrets/token.ts";
import type { Handoff } from "../cached/handoff.ts";
import type { OwnOriginOf } from "../edge/own-origin.ts";
import { HttpError } from "../errors/api-error.ts";
import { type Authenticate, shownSession, validToken } from "./authenticate.ts";
import { presentedToken, tokenIn } from "./bearer.ts";
import { accountHeader, type CookieUse, isFromConsole } from "./from-console.ts";
import type { Holder } from "./revalidation.ts";
import { sessionSecretIn } from "./session-cookie.ts";
import type { TokenLookup } from "./token-lookup.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The console's session that authorized the request; null for a token. */
    consoleSession: ConsoleSession | null;
  }
  interface FastifyContextConfig {
    /** What the console's cookie authorizes here. Absent: nothing. */
    cookie?: CookieUse | undefined;
    /** What its operation needs of the role. */
    right?: Right;
  }
}

export interface ConsoleSession {
  readonly id: string;
  /** At the latest. */
  readonly expiresAt: Date;
}

/**
 * Authorizes a request whose token has one of the scopes and the right behind it, or throws HttpError, RentalError
 * role-forbids. Sets `request.principal`.
 */
export type Authorize = (
  request: FastifyRequest,
  reply: FastifyReply,
  right: Right,
  scope: Scope,
  ...orElse: Scope[]
) => Promise<void>;

export interface AuthorizeDependencies {
  readonly authenticate: Authenticate;
  readonly lookup: TokenLookup;
  readonly lookUpSession: TokenLookup<AuthenticatedSession>;
  readonly ownOrigin: OwnOriginOf;
  /** Counts the request for its token, and writes the headers. Throws HttpError rate-limited. */
  readonly countForToken: (request: FastifyRequest, reply: FastifyReply, tokenId: string) => void;
  readonly noteUse: (tokenId: string) => void;
  readonly noteSessionUse: (sessionId: string) => void;
  /** Look-ups that the fast path began for requests. */
  readonly handoff: Handoff;
}

export function createAuthorize(parts: AuthorizeDependencies): Authorize {
  const { authenticate, lookup, lookUpSession, ownOrigin, countForToken, noteUse, noteSessionUse, handoff } = parts;

  function byToken(request: FastifyRequest, reply: FastifyReply): Promise<AuthenticatedToken> {
    const { authorization } = request.headers;
    return authenticate(request, reply, {
      shown: authorization ?? "",
      isWellFormed: () => tokenIn(authorization ?? "") !== undefined,
      look: async () => {
        const token = presentedToken(authorization);
        return handoff.lookUpOf(request.raw) ?? lookup(hashToken(token).toString("hex"));
      },
      valid: validToken,
    });
  }

  async function bySession(request: FastifyRequest, reply: FastifyReply, secret: string): Promise<AuthenticatedToken> {
    const session = await authenticate(request, reply, {
      shown: shownSession(secret),
      isWellFormed: () => true,
      look: () => lookUpSession(hashSessionSecret(secret).toString("hex")),
      valid: (found) => validSession(found, request.headers[accountHeader]),
    });
    request.consoleSession = { id: session.sessionId, expiresAt: session.sessionExpiresAt };
    noteSessionUse(session.sessionId);
    return session;
  }

  function authenticated(request: FastifyRequest, reply: FastifyReply): Promise<AuthenticatedToken> {
    const secret = request.headers.authorization === undefined ? sessionOf(request, ownOrigin) : undefined;
    return secret === undefined ? byToken(request, reply) : bySession(request, reply, secret);
  }

  return async (request, reply, right, scope, ...orElse) => {
    const { principal, accountStatus } = await authenticated(request, reply);
    // Set before any other rejection, so that the log names the caller.
    request.principal = principal;
    noteUse(principal.tokenId);
    countForToken(request, reply, principal.tokenId);
    if (accountStatus !== "active") throw new HttpError("account-inactive", {});
    const held = [scope, ...orElse].find((one) => principal.scopes.has(one));
    if (held === undefined) throw new HttpError("forbidden", { scope });
    const counting = scopesWith(principal, right);
    if (counting === principal.scopes) return;
    if (![scope, ...orElse].some((one) => counting.has(one))) throw forbids(principal, right, throughOf(held));
    request.principal = { ...principal, scopes: counting };
  };
}

/** The principal of an authorized request. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error("BUG: this route is not behind the gate");
  return request.principal;
}

/** Who sent this request, for what continues after its response has begun. */
export function holderOf(request: FastifyRequest): Holder {
  const { right = "see" } = request.routeOptions.config;
  return { tokenId: principalOf(request).tokenId, sessionId: request.consoleSession?.id ?? null, right };
}

/** The secret of the console's session, if this request's cookie counts. */
export function sessionOf(request: FastifyRequest, ownOrigin: OwnOriginOf): string | undefined {
  const { cookie: use } = request.routeOptions.config;
  if (use === undefined || request.headers.cookie === undefined) return undefined;
  const own = ownOrigin(request.raw);
  return isFromConsole(request.headers, use, own) ? sessionSecretIn(request.headers.cookie, own) : undefined;
}

/**
 * An expired session gets the same error whatever its token is, and reveals nothing about the token. So does a page that
 * shows another team than the one that the session was switched to elsewhere.
 */
function validSession(
  found: AuthenticatedSession | undefined,
  shownAccount: string | readonly string[] | undefined,
): AuthenticatedSession {
  const isOpen = found !== undefined && !found.sessionOver && !found.revoked && !found.suspended && !found.expired;
  if (isOpen && (shownAccount ?? found.principal.accountId) === found.principal.accountId) return found;
  throw new HttpError("invalid-api-key", { reason: "session-over" });
}
