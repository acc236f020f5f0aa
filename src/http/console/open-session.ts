// What both ways of signing in share: the new session, which ends the browser's previous one, its cookie and the response.
//
// Invariants: a session's secret is created here and never taken from a request, so an attacker cannot plant a known
// session. Requests count only if they come from the console (../auth/from-console.ts), so no other site can sign in or
// out. Used by session-routes.ts and sign-in-routes.ts.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Transaction } from "../../database/connect.ts";
import { beginSession, endSession, type SignedInBy } from "../../rental/accounts/console-sessions.ts";
import type { Principal } from "../../rental/service.ts";
import { hashSessionSecret } from "../../secrets/session-secret.ts";
import type { AuditedOperation } from "../api/audit.ts";
import { isFromConsole } from "../auth/from-console.ts";
import { givenCookie, sessionSecretIn } from "../auth/session-cookie.ts";
import type { OwnOrigin, OwnOriginOf } from "../edge/own-origin.ts";
import { HttpError } from "../errors/api-error.ts";
import { auditSession, signOut } from "./audit.ts";

export const uncached = { "cache-control": "no-store" };

/** The response about the signed-in account: as GET /console/session. */
export type Told = (principal: Principal, expiresAt: Date) => Promise<object>;

export interface OpenedSession {
  readonly id: string;
  readonly secret: string;
  readonly expiresAt: Date;
}

/** Opens a session of this token, and ends the one that the browser has. */
export async function openSession(
  tx: Transaction,
  request: FastifyRequest,
  own: OwnOrigin,
  operation: AuditedOperation,
  { accountId, tokenId, ...how }: Pick<Principal, "accountId" | "tokenId"> & SignedInBy,
): Promise<OpenedSession> {
  const before = sessionSecretIn(request.headers.cookie, own);
  const ended = before === undefined ? undefined : await endSession(tx, hashSessionSecret(before));
  if (ended !== undefined) await auditSession(tx, request, signOut, ended);
  const begun = await beginSession(tx, tokenId, {
    ...how,
    address: request.clientAddress || null,
    userAgent: request.headers["user-agent"],
  });
  await auditSession(tx, request, operation, { accountId, tokenId, id: begun.id });
  return begun;
}

/** Sets the cookie of the session. */
export function giveSession(reply: FastifyReply, { secret, expiresAt }: OpenedSession, own: OwnOrigin): FastifyReply {
  const seconds = (expiresAt.getTime() - Date.now()) / 1000;
  return reply.headers(uncached).header("set-cookie", givenCookie(secret, seconds, own));
}

/** Throws HttpError malformed-request for a request that another site made a browser send. */
export function refuseOthers({ headers, raw }: FastifyRequest, ownOrigin: OwnOriginOf): void {
  if (isFromConsole(headers, "request", ownOrigin(raw))) return;
  throw new HttpError("malformed-request", {
    problem:
      "only the console of this service can send it, with X-Lessor-Console: 1 and from its own origin. " +
      "Behind a proxy, see trusted_proxies in docs/reference/settings.md.",
  });
}
