// Signing in to the console and out of it: a token is shown once, and from then on its browser has a session's cookie.
//
// Invariants: a session's secret is made here and never taken from a request, so nobody can be signed in with a session
// that another one knows; the one that a browser had before ends with the next. None of these requests counts unless it
// comes from the console (../auth/from-console.ts), so no other site signs anybody in or out. The token is in no URL, no
// log and no answer.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Database } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { beginSession, endSession } from "../../rental/accounts/console-sessions.ts";
import type { AuthenticatedToken } from "../../rental/accounts/token-store.ts";
import type { Principal } from "../../rental/service.ts";
import { hashSessionSecret } from "../../secrets/session-secret.ts";
import { hashToken } from "../../secrets/token.ts";
import { auditRefusal } from "../api/audit.ts";
import type { HttpContext } from "../api/context.ts";
import { type Authenticate, shownSession, validToken } from "../auth/authenticate.ts";
import { type AuthorizeDependencies, principalOf } from "../auth/authorize.ts";
import { isFromConsole } from "../auth/from-console.ts";
import { givenCookie, sessionSecretIn, takenCookie } from "../auth/session-cookie.ts";
import type { TokenLookup } from "../auth/token-lookup.ts";
import type { OwnOriginOf } from "../edge/own-origin.ts";
import { HttpError } from "../errors/api-error.ts";
import { auditSession, sessionPath, signIn, signOut } from "./audit.ts";

export interface SessionParts {
  readonly context: HttpContext;
  readonly authenticate: Authenticate;
  readonly lookup: TokenLookup;
  /** Counts the request for its token, and writes the headers. Throws HttpError rate-limited. */
  readonly countForToken: AuthorizeDependencies["countForToken"];
  readonly ownOrigin: OwnOriginOf;
  /** What would be shown here is good from this request's address. */
  readonly noteGood: (request: FastifyRequest, shown: string) => void;
  /** What GET /account of the control interface says. */
  readonly ownAccount: (db: Database, principal: Principal) => Promise<unknown>;
  /** The prefix of the control interface. */
  readonly controlUrl: string;
}

const SignIn = Type.Object({ token: Type.String({ minLength: 1, maxLength: 1024 }) });

const uncached = { "cache-control": "no-store" };
/** Twice what the longest token takes: nobody has shown one yet, so nobody may send more. */
const mostSignInBytes = 2048;

const config = (id: string) => ({ operation: { interface: "console", id }, cookie: "request" as const });

export function sessionRoutes(scope: FastifyInstance, parts: SessionParts): void {
  const { context, authenticate, lookup, countForToken, ownOrigin, noteGood, ownAccount, controlUrl } = parts;
  const { db } = context;
  const simulated = context.config.engines.every(({ kind }) => kind === "simulated");

  /** What the console is told of who is signed in. */
  async function told(principal: Principal, expiresAt: Date) {
    const account = await ownAccount(db, principal);
    return { data: { control_url: controlUrl, account, expires_at: expiresAt.toISOString(), simulated } };
  }

  /** Whose a token is that is shown to sign in. Throws HttpError as the gate does. */
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
      const before = sessionSecretIn(request.headers.cookie, own);
      const session = await inTransaction(db, async (tx) => {
        const ended = before === undefined ? undefined : await endSession(tx, hashSessionSecret(before));
        if (ended !== undefined) await auditSession(tx, request, signOut, ended);
        const begun = await beginSession(tx, principal.tokenId);
        await auditSession(tx, request, signIn, { ...principal, id: begun.id });
        return begun;
      });
      noteGood(request, shownSession(session.secret));
      const seconds = (session.expiresAt.getTime() - Date.now()) / 1000;
      reply.headers(uncached).header("set-cookie", givenCookie(session.secret, seconds, own));
      return told(principal, session.expiresAt);
    },
  );

  scope.get(
    sessionPath,
    {
      schema: { hide: true },
      config: config("readSession"),
      onRequest: (request, reply) => context.gate(request, reply, "read", "write", "operator"),
    },
    async (request, reply) => {
      // Who brings a token has no session.
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
      // Also one whose token is revoked: who signs out is signed out.
      if (secret !== undefined) {
        await inTransaction(db, async (tx) => {
          const ended = await endSession(tx, hashSessionSecret(secret));
          if (ended !== undefined) await auditSession(tx, request, signOut, ended);
        });
      }
      return reply.headers(uncached).header("set-cookie", takenCookie(own)).send({ data: {} });
    },
  );
}

/** Throws HttpError malformed-request for what another site had a browser send. */
function refuseOthers({ headers, raw }: FastifyRequest, ownOrigin: OwnOriginOf): void {
  if (isFromConsole(headers, "request", ownOrigin(raw))) return;
  throw new HttpError("malformed-request", {
    problem:
      "only the console of this service can send it, with X-Lessor-Console: 1 and from its own origin. " +
      "Behind a proxy, see trusted_proxies in docs/reference/settings.md.",
  });
}
