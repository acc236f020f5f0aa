// Tokens that are pinned to a version of the reference interface (rental/accounts/compatibility.ts): what they are shown has
// exactly the fields of that version, none more and none missing, for clients that refuse any other shape. Paths, statuses,
// codes and the words of an interface stay: a pin narrows what answers carry, and does nothing else.
//
// The one source of a shape is the schema that variant R documents (reference/schema.ts): an operation of a pinnable
// interface is cut to `Operation.pinned`, or to its own answer where that is the shape already. The specification shows no
// shape of errors: `code`, `message` and `suggestion` are what the clients of the family know, and their strictest refuse
// a `request_id` (the header X-Request-Id has it).
//
// Invariant: what is kept, for reads (kept/) or under an Idempotency-Key (idempotency.ts), is never shown to a token of
// another shape: reads are kept by version, and changes are kept whole and cut on their way out.
// Used by operations.ts and errors/handler.ts.

import type { FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import type { CompatibilityVersion } from "../rental/accounts/index.ts";
import type { ErrorBody } from "./errors/answer.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What its token is pinned to; null: nothing, or no account has that token. */
    compatibilityVersion: CompatibilityVersion | null;
  }
  interface FastifyContextConfig {
    /** Whether the pin of a token narrows the answers of this route. */
    pinnable?: boolean;
  }
}

/** The version whose shapes the answer to this request has; null: those of the current edition. */
export function versionFor(request: FastifyRequest): CompatibilityVersion | null {
  return request.routeOptions.config.pinnable === true ? request.compatibilityVersion : null;
}

/** The answer with exactly the fields of `shape`: others are left out, and missing ones are there with their default. */
export function cutTo(shape: TSchema, answer: unknown): unknown {
  // A copy, for a view may hand out what it hands to others too.
  return Value.Clean(shape, Value.Default(shape, structuredClone(answer)));
}

/** The body of an error as a pinned token is shown it: what `field_errors` would tell is in the message instead. */
export function cutError({ error, field_errors: fields = {} }: ErrorBody): { error: Partial<ErrorBody["error"]> } {
  const untold = Object.entries(fields).filter(([, problem]) => !error.message.includes(problem.message));
  return {
    error: {
      code: error.code,
      message: [error.message, ...untold.map(([field, problem]) => `${field}: ${problem.message}`)].join(" "),
      suggestion: error.suggestion.replaceAll("field_errors", "the message"),
    },
  };
}
