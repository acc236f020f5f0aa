// Writes the audit log for the operations that change something (operations.ts): what was done in the transaction of the
// change, what was refused or failed in one of its own, before the answer goes out.
//
// Whose token it was is known as soon as the gate has looked it up, so requests refused by scope, by an inactive account
// or by an expired or revoked token have entries too; without a token of ours there is nobody to tell. A 503 has none: it
// could not be written where the database does not respond, and would make an overload worse. What such a request has
// changed all the same (its connection was lost while it committed) has its entry, for the two are one transaction.

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

/** What the log calls an operation. */
export interface AuditedOperation {
  readonly interface: string;
  readonly id: string;
  readonly method: string;
  /** As declared, with `:parameters`. */
  readonly path: string;
  /** It is about one instance, whose account its answer names, and its body may state a reason. */
  readonly ofInstance?: boolean;
}

/** Below this path, which only operators may change, things are those of the account with this id. */
const accountPath = "/accounts/:id";
/** A POST here makes an account. */
const accountsPath = "/accounts";
/** An answer does not wait longer for its entry. */
const deadlineMs = 2_000;

/** A change, or the repetition of one, that is answered like this. */
export interface Answered {
  readonly request: FastifyRequest;
  readonly operation: AuditedOperation;
  readonly answer: Response;
}

/** Of each of them: in the transaction of the changes. */
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
      reason: operation.ofInstance === true ? reasonOf(request) : null,
    });
  });
  await recordAudit(tx, entries);
}

/** For the hook that runs before an answer goes out: writes what was not done. Never throws. */
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

/** Null: the account that asks, or none. */
function changedAccountOf(
  request: FastifyRequest,
  { path, ofInstance }: AuditedOperation,
  answer: unknown,
): string | null {
  const id = ofInstance === true ? ownerOf(answer) : path === accountsPath ? madeId(answer) : idInPath(request, path);
  const changed = id === undefined ? undefined : parseUuid(id);
  return changed === undefined || changed === principalOf(request).accountId ? null : changed;
}

function idInPath({ params }: FastifyRequest, path: string): string | undefined {
  if (path !== accountPath && !path.startsWith(`${accountPath}/`)) return undefined;
  return (params as { id: string }).id; // the path has it
}

/** The new account is shown who made it. */
function madeId(answer: unknown): string | undefined {
  const { data } = answer as { data: { id: string } }; // what the creation of an account is declared to answer
  return data.id;
}

/** The account of the instance that was changed. */
function ownerOf(answer: unknown): string {
  const { data } = answer as { data: { account_id: string } }; // what operations of an instance are declared to answer
  return data.account_id;
}

/** Validated, for the request was done. */
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
