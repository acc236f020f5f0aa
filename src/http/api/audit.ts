// Writes the audit log for operations that change something (operations.ts): a success in the transaction of the
// change, a rejection or failure in its own transaction, before the response is sent.
//
// The token's owner is known once authorization has looked it up, so requests rejected for scope, an inactive account
// or an expired or revoked token have entries too; a request with an unknown token has no account to record. A 503 has
// none: it could not be written while the database does not respond, and would make an overload worse. A change whose
// connection was lost during the commit still has its entry, because both are one transaction.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Transaction } from "../../database/connect.ts";
import type { AuditEntry, AuditResult } from "../../rental/audit/entry.ts";
import { recordAudit } from "../../rental/audit/record.ts";
import type { Principal } from "../../rental/service.ts";
import { parseUuid } from "../../rental/uuid.ts";
import { principalOf } from "../auth/authorize.ts";
import { objectsOf } from "./audit-objects.ts";
import type { HttpContext } from "./context.ts";
import { isReplay, type Response } from "./idempotency.ts";

/** How the log names an operation. */
export interface AuditedOperation {
  readonly interface: string;
  readonly id: string;
  readonly method: string;
  /** As declared, with `:parameters`. */
  readonly path: string;
  /** The response names the account of what was changed. */
  readonly namesAccount?: boolean;
  /** Its body may state a reason, which is recorded. */
  readonly statesReason?: boolean;
}

/** Objects below this path, which only operators may change, belong to the account with this id. */
const accountPath = "/accounts/:id";
/** A POST here creates an account. */
const accountsPath = "/accounts";
/** The longest a response waits for its entry. */
const deadlineMs = 2_000;

/** A change or a replay, with its response. */
export interface Answered {
  readonly request: FastifyRequest;
  readonly operation: AuditedOperation;
  readonly answer: Response;
}

/** Writes one entry per change, in the transaction of the changes. */
export async function auditChanges(tx: Transaction, answered: readonly Answered[]): Promise<void> {
  const entries = answered.map(({ request, operation, answer: { status, headers, body } }) => {
    const result = isReplay(headers) ? "replayed" : "done";
    const answer: unknown = body === "" ? undefined : JSON.parse(body);
    const changedAccountId = changedAccountOf(request, operation, answer);
    return entryOf(request, operation, principalOf(request), {
      result,
      status,
      answer,
      changedAccountId,
      errorCode: null,
      reason: operation.statesReason === true ? reasonOf(request) : null,
    });
  });
  await recordAudit(tx, entries);
}

/** For the hook that runs before a response is sent: records requests that changed nothing. Never throws. */
export async function auditRefusal(
  context: Pick<HttpContext, "db" | "log">,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: AuditedOperation,
): Promise<void> {
  const { presentedBy, refusedWith } = request;
  const status = reply.statusCode;
  if (request.audited || presentedBy === null || refusedWith === null || status === 503) return;
  request.audited = true;
  const result = status < 500 ? "refused" : "failed";
  const rest = {
    result,
    status,
    answer: undefined,
    changedAccountId: null,
    errorCode: refusedWith,
    reason: null,
  } as const;
  try {
    await inTime(recordAudit(context.db, [entryOf(request, operation, presentedBy, rest)]));
  } catch (error) {
    context.log.error({ err: error, request_id: request.id, operation: operation.id }, "cannot write to the audit log");
  }
}

function entryOf(
  request: FastifyRequest,
  operation: AuditedOperation,
  by: Principal,
  rest: {
    result: AuditResult;
    status: number;
    answer: unknown;
    changedAccountId: string | null;
    errorCode: string | null;
    reason: string | null;
  },
): AuditEntry {
  const { answer, ...told } = rest;
  return {
    ...told,
    accountId: by.accountId,
    tokenId: by.tokenId,
    address: request.clientAddress || null,
    interface: operation.interface,
    operation: operation.id,
    method: operation.method,
    ...objectsOf(request, answer, rest.result === "done" ? "ofChange" : "ofOthers"),
    requestId: request.id,
  };
}

/** Null: the caller's account, or none. */
function changedAccountOf(
  request: FastifyRequest,
  { path, namesAccount }: AuditedOperation,
  answer: unknown,
): string | null {
  const id = namesAccount === true ? ownerOf(answer) : path === accountsPath ? madeId(answer) : idInPath(request, path);
  const changed = id === undefined ? undefined : parseUuid(id);
  return changed === undefined || changed === principalOf(request).accountId ? null : changed;
}

function idInPath({ params }: FastifyRequest, path: string): string | undefined {
  if (path !== accountPath && !path.startsWith(`${accountPath}/`)) return undefined;
  return (params as { id: string }).id; // the path has it
}

/** The new account sees who created it. */
function madeId(answer: unknown): string | undefined {
  const { data } = answer as { data: { id: string } }; // the declared response of creating an account
  return data.id;
}

/** The account of what was changed. */
function ownerOf(answer: unknown): string {
  const { data } = answer as { data: { account_id: string } }; // the declared response of such operations
  return data.account_id;
}

/** Valid, because the request succeeded. */
function reasonOf({ body }: FastifyRequest): string | null {
  return (body as { reason?: string }).reason ?? null;
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("writing it takes too long")), deadlineMs);
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
