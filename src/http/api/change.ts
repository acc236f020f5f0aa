// One request that changes something: its effect, the use of its Idempotency-Key and its audit log entry are one
// transaction. Used by operations.ts. Launches have their own implementation (launching/).

import type { FastifyRequest } from "fastify";
import type { Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { type AuditedOperation, auditChanges } from "./audit.ts";
import type { HttpContext } from "./context.ts";
import { type KeyUse, once, type Response } from "./idempotency.ts";

/** A request that changes something. */
export interface ChangeRequest {
  readonly request: FastifyRequest;
  readonly operation: AuditedOperation;
  /** Undefined without an Idempotency-Key. */
  readonly use: KeyUse | undefined;
  /** It changes nothing, and has no entry in the audit log. */
  readonly isPreview?: boolean;
}

/** The response of `effect`, or the stored one. `effect` may run repeatedly (inTransaction). Throws what it throws. */
export function change(
  { db, service }: Pick<HttpContext, "db" | "service">,
  { request, operation, use, isPreview = false }: ChangeRequest,
  effect: (tx: Transaction) => Promise<Response>,
): Promise<Response> {
  return inTransaction(db, async (tx) => {
    const answer = use === undefined ? await effect(tx) : await once(tx, service.keyRing, use, () => effect(tx));
    if (!isPreview) await auditChanges(tx, [{ request, operation, answer }]);
    return answer;
  });
}
