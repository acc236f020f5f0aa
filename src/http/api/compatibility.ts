// Tokens pinned to a version (compatibility-versions.ts), and how the interface of that version responds to them.
//
// 1.0.3 (R and the lambda edition): responses have exactly the fields of that version. Paths, statuses, codes and
// status labels of an interface stay. The one source of a shape is the schema that variant R documents
// (reference/schema.ts): an operation is cut to `Operation.pinned`, or to its own response where that already has the
// shape. The specification shows no shape of errors: `code`, `message` and `suggestion` are what the clients of the
// family know, and their strictest reject a `request_id` (the header X-Request-Id has it). vendor-1.0 (D): an operation
// whose values have other types in the vendor's document translates them (`Operation.pinned`); everything else,
// including errors, is unchanged.
//
// Invariant: what is cached, for reads (cached/) or under an Idempotency-Key (idempotency.ts), is never shown to a
// token of another shape: reads are cached by version, and changes are stored whole and translated when sent. Used by
// operations.ts and errors/handler.ts.

import type { FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import type { CompatibilityVersion } from "../../rules/compatibility-versions.ts";
import type { ErrorBody } from "../errors/response.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The version its token is pinned to; null: none, or the token is unknown. */
    compatibilityVersion: CompatibilityVersion | null;
  }
  interface FastifyContextConfig {
    /** The version whose pin changes the responses of this route. */
    pin?: CompatibilityVersion | undefined;
  }
}

/** What an operation does for a pinned token: the schema its response is cut to, or the translation of its response. */
export type Pinned<Body> = TSchema | ((body: Body) => unknown);

/** The version whose shapes the response to this request has; null: those of the current edition. */
export function versionFor(request: FastifyRequest): CompatibilityVersion | null {
  const { compatibilityVersion } = request;
  return request.routeOptions.config.pin === compatibilityVersion ? compatibilityVersion : null;
}

/** The body of a success as a token pinned to `version` is shown it. */
export function bodyFor(
  version: CompatibilityVersion,
  { answer, pinned }: { readonly answer?: TSchema; readonly pinned?: Pinned<never> },
  body: unknown,
): unknown {
  // The body has the type that the operation declares for both.
  if (typeof pinned === "function") return pinned(body as never);
  const shape = pinned ?? answer;
  return version === "1.0.3" && shape !== undefined ? cutTo(shape, body) : body;
}

/** The body of an error as a token pinned to `version` is shown it. */
export function errorFor(version: CompatibilityVersion, body: ErrorBody): object {
  return version === "1.0.3" ? cutError(body) : body;
}

/** The body with exactly the fields of `shape`: others are removed, and missing ones get their default. */
export function cutTo(shape: TSchema, body: unknown): unknown {
  // A copy, because a view may share its objects.
  return Value.Clean(shape, Value.Default(shape, structuredClone(body)));
}

/** The body of an error in version 1.0.3: the content of `field_errors` is in the message instead. */
export function cutError({ error, field_errors: fields = {} }: ErrorBody): { error: Partial<ErrorBody["error"]> } {
  const untold = Object.entries(fields).filter(([, problem]) => !error.message.includes(problem.message));
  return {
    error: {
      code: error.code,
      message: [error.message, ...untold.map(([field, problem]) => `${field}: ${problem.message}`)].join(" "),
      suggestion: error.suggestion,
    },
  };
}
