// The error handler of Fastify: expected errors are answered from the table, an unresponsive database is a 503, and
// anything else is a defect: 500, with its details in the log only, under the request's id.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { isDiskFull } from "../../database/disk-full.ts";
import type { StorageState } from "../../database/storage.ts";
import { isUnavailable, mayHaveHappened } from "../../database/unavailable.ts";
import type { RentalError } from "../../rental/errors.ts";
import { errorFor, versionFor } from "../api/compatibility.ts";
import { HttpError } from "./api-error.ts";
import { isRefusal, responseForError } from "./response.ts";

/** `storage`: while it is full, an unresponsive database is reported as out of space. */
export function createErrorHandler(log: Logger, storage?: StorageState) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refusalFrom(error, request, storage?.isFull === true);
    if (refusal.kind === "internal-error") log.error({ err: error, request_id: request.id }, "request failed");
    // Expected while starting, stopping or without the database, and polled every few seconds: not worth a stack. An
    // overload would log thousands, and the request log has them.
    const away = refusal instanceof HttpError && refusal.kind === "unavailable" ? whyAway(refusal, error) : undefined;
    if (away !== undefined) {
      const isTrouble = away !== "starting" && away !== "stopping";
      log[isTrouble ? "warn" : "info"]({ reason: away, request_id: request.id }, "unavailable");
    }
    const { errorColumn = "otherwise", interface: of } = request.routeOptions.config;
    const { status, headers, body } = responseForError(refusal, errorColumn, request.id, of);
    request.refusedWith = body.error.code;
    // Fastify closes the connection after any invalid body; unread-bodies.ts handles the rest of it.
    reply.removeHeader("connection");
    reply.header("x-request-id", request.id);
    const version = versionFor(request);
    const shown = version === null ? body : errorFor(version, body);
    return reply.code(status).headers(headers).type("application/json; charset=utf-8").send(JSON.stringify(shown));
  };
}

/** What is logged; undefined: nothing. */
function whyAway(refusal: HttpError, error: unknown): string | undefined {
  if ("overloaded" in refusal.details) return undefined;
  if ("why" in refusal.details) return refusal.details.why;
  return error instanceof Error ? error.message : String(error);
}

function refusalFrom(error: unknown, request: FastifyRequest, isFull: boolean): RentalError | HttpError {
  if (isRefusal(error)) return error;
  if (request.raw.destroyed && !request.raw.complete) return unreadable("it ended too early.");
  if (isUnavailable(error)) {
    const noSpace = isDiskFull(error) || (isFull && mayHaveHappened(error));
    return new HttpError("unavailable", noSpace ? { why: "the database is out of space" } : {});
  }
  const problem = frameworkProblem(error);
  return problem === undefined ? new HttpError("internal-error", {}) : unreadable(problem);
}

/** Fastify's own error about a request, in this service's words. */
function frameworkProblem(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return frameworkProblems[error.code];
}

const frameworkProblems: Partial<Record<string, string>> = {
  FST_ERR_BAD_URL: "the path has a malformed percent encoding.",
  FST_ERR_MAX_PARAM_LENGTH: "a part of the path is too long.",
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: "the method QUERY needs a Content-Type.",
};

function unreadable(problem: string): HttpError {
  return new HttpError("malformed-request", { problem });
}
