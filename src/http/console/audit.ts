// Audit log entries for signing in to and out of the console, with the session's id as object, and for command lines that
// sign in through it, with the token's. Used by
// session-routes.ts.

import type { FastifyRequest } from "fastify";
import type { Transaction } from "../../database/connect.ts";
import type { EndedSession } from "../../rental/accounts/console-sessions.ts";
import { recordAudit } from "../../rental/audit/record.ts";
import type { AuditedOperation } from "../api/audit.ts";

export const sessionPath = "/console/session";

export const signInPath = "/console/sign-in";

export const signIn: AuditedOperation = { interface: "console", id: "signIn", method: "POST", path: sessionPath };
export const signInByLink: AuditedOperation = {
  interface: "console",
  id: "signInByLink",
  method: "POST",
  path: signInPath,
};
export const signInByProvider: AuditedOperation = {
  interface: "console",
  id: "signInByProvider",
  method: "GET",
  path: `${signInPath}/:provider/callback`,
};
export const devicePath = "/console/device";

export const confirmDeviceSignIn: AuditedOperation = {
  interface: "console",
  id: "confirmDeviceSignIn",
  method: "POST",
  path: `${devicePath}/confirm`,
};
export const signInByDevice: AuditedOperation = {
  interface: "console",
  id: "signInByDevice",
  method: "POST",
  path: `${devicePath}/token`,
};
export const signOut: AuditedOperation = { interface: "console", id: "signOut", method: "DELETE", path: sessionPath };

/** The operations that entries can have. */
export const consoleOperations: readonly string[] = [
  signIn.id,
  signInByLink.id,
  signInByProvider.id,
  confirmDeviceSignIn.id,
  signInByDevice.id,
  signOut.id,
];

/** In the transaction of the change. `session`: the one that was created or ended. */
export async function auditSession(
  tx: Transaction,
  request: FastifyRequest,
  operation: AuditedOperation,
  session: EndedSession,
): Promise<void> {
  const entry = {
    accountId: session.accountId,
    tokenId: session.tokenId,
    changedAccountId: null,
    address: request.clientAddress || null,
    interface: operation.interface,
    operation: operation.id,
    method: operation.method,
    objects: [session.id],
    made: operation === signOut || operation === confirmDeviceSignIn ? 0 : 1,
    result: "done",
    status: 200,
    errorCode: null,
    reason: null,
    requestId: request.id,
  } as const;
  await recordAudit(tx, [entry]);
}
