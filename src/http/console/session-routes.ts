// Sign-in and sign-out of the console: a token is sent once, and from then on the browser has a session's cookie.
//
// Invariant: the token is in no URL, no log and no response. Others are those of open-session.ts.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Database } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { endSession } from "../../rental/accounts/console-sessions.ts";
import type { AuthenticatedToken } from "../../rental/accounts/token-store.ts";
import type { Principal, Scope } from "../../rental/service.ts";
import { hashSessionSecret } from "../../secrets/session-secret.ts";
import { hashToken } from "../../secrets/token.ts";
import { auditRefusal } from "../api/audit.ts";
import type { HttpContext } from "../api/context.ts";
import { type Authenticate, shownSession, validToken } from "../auth/authenticate.ts";
import { type AuthorizeDependencies, principalOf } from "../auth/authorize.ts";
import { sessionSecretIn, takenCookie } from "../auth/session-cookie.ts";
import type { TokenLookup } from "../auth/token-lookup.ts";
import type { OwnOriginOf } from "../edge/own-origin.ts";
import { HttpError } from "../errors/api-error.ts";
import { auditSession, sessionPath, signIn, signOut } from "./audit.ts";
import { deviceRoutes } from "./device-routes.ts";
import { giveSession, openSession, refuseOthers, uncached } from "./open-session.ts";
import { providerRoutes } from "./provider-routes.ts";
import { createProviders } from "./providers.ts";
import { signInRoutes } from "./sign-in-routes.ts";

export interface SessionParts {
  readonly context: HttpContext;
  readonly authenticate: Authenticate;
  readonly lookup: TokenLookup;
  /** Counts the request for its token, and writes the headers. Throws HttpError rate-limited. */
  readonly countForToken: AuthorizeDependencies["countForToken"];
  readonly ownOrigin: OwnOriginOf;
  /** Records that this credential was valid from this request's address. */
  readonly noteGood: (request: FastifyRequest, shown: string) => void;
  /** The response of GET /account of the control interface. */
  readonly ownAccount: (db: Database, principal: Principal) => Promise<unknown>;
  /** The prefix of the control interface. */
  readonly controlUrl: string;
}

const SignIn = Type.Object({ token: Type.String({ minLength: 1, maxLength: 1024 }) });

/** Twice what the longest token takes: these requests are not authenticated, so no more is allowed. */
const mostSignInBytes = 2048;

/** Of a person who signed in. */
const signedInScopes: ReadonlySet<Scope> = new Set<Scope>(["read", "write"]);

const config = (id: string) => ({ operation: { interface: "console", id }, cookie: "request" as const });

export function sessionRoutes(scope: FastifyInstance, parts: SessionParts): void {
  const { context, authenticate, lookup, countForToken, ownOrigin, noteGood, ownAccount, controlUrl } = parts;
  const { db } = context;
  const simulated = context.config.engines.every(({ kind }) => kind === "simulated");

  /** What the console receives about the signed-in account. */
  async function told(principal: Principal, expiresAt: Date) {
    const account = await ownAccount(db, principal);
    return { data: { control_url: controlUrl, account, expires_at: expiresAt.toISOString(), simulated } };
  }

  /** Authenticates the token of a sign-in. Throws the HttpErrors of authentication. */
  async function presented(request: FastifyRequest, reply: FastifyReply, token: string): Promise<AuthenticatedToken> {
    const found = await authenticate(request, reply, {
      shown: `Bearer ${token}`,
      isWellFormed: () => token !== "",
      look: () => lookup(hashToken(token).toString("hex")),
      valid: (one) => validToken(one, "sign-in"),
    });
    request.principal = found.principal;
    countForToken(request, reply, found.principal.tokenId);
    if (found.accountStatus !== "active") throw new HttpError("account-inactive", {});
    return found;
  }

  const providers = createProviders(context.config.signIn);
  providerRoutes(scope, parts, providers);
  deviceRoutes(scope, parts);
  signInRoutes(scope, {
    ...parts,
    providers: providers.listed,
    told: ({ accountId, person, role }, tokenId, expiresAt) =>
      told({ accountId, tokenId, scopes: signedInScopes, person: { id: person.id, role } }, expiresAt),
  });

  scope.post(
    sessionPath,
    {
      schema: { hide: true, body: SignIn },
      config: { ...config(signIn.id), mostBodyBytes: mostSignInBytes },
      onRequest: async (request) => refuseOthers(request, ownOrigin),
      onSend: (request, reply) => auditRefusal(context, request, reply, signIn),
    },
    async (request, reply) => {
      const { token } = request.body as { token: string }; // validated
      const { principal } = await presented(request, reply, token.trim());
      const own = ownOrigin(request.raw);
      const session = await inTransaction(db, (tx) =>
        openSession(tx, request, own, signIn, { accountId: principal.accountId, tokenId: principal.tokenId }),
      );
      noteGood(request, shownSession(session.secret));
      giveSession(reply, session, own);
      return told(principal, session.expiresAt);
    },
  );

  scope.get(
    sessionPath,
    {
      schema: { hide: true },
      config: config("readSession"),
      onRequest: (request, reply) => context.gate(request, reply, "see", "read", "write", "operator"),
    },
    async (request, reply) => {
      // A request with a token has no session.
      if (request.consoleSession === null) throw new HttpError("invalid-api-key", { reason: "session-over" });
      reply.headers(uncached);
      return told(principalOf(request), request.consoleSession.expiresAt);
    },
  );

  scope.delete(
    sessionPath,
    {
      schema: { hide: true },
      config: config(signOut.id),
      onRequest: async (request) => refuseOthers(request, ownOrigin),
    },
    async (request, reply) => {
      const own = ownOrigin(request.raw);
      const secret = sessionSecretIn(request.headers.cookie, own);
      // Also if its token is revoked: sign-out always works.
      const ended =
        secret &&
        (await inTransaction(db, async (tx) => {
          const session = await endSession(tx, hashSessionSecret(secret));
          if (session !== undefined) await auditSession(tx, request, signOut, session);
          return session;
        }));
      const provider = ended ? await providers.of(ended.provider ?? "") : undefined;
      const url = await provider?.signOutUrl();
      const data = url === undefined ? {} : { sign_out_url: url };
      return reply.headers(uncached).header("set-cookie", takenCookie(own)).send({ data });
    },
  );
}
