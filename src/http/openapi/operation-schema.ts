// One operation for Fastify and @fastify/swagger: the schemas to validate, and the entry in the document with examples,
// headers and every error of the operation.

import type { FastifySchema } from "fastify";
import { type TSchema, Type } from "typebox";
import type { InterfaceName } from "../../config/interfaces.ts";
import { idempotencyKey } from "../api/documented-limits.ts";
import type { Operation } from "../api/operations.ts";
import type { ErrorKind } from "../errors/api-error.ts";
import { errorResponses } from "../errors/documentation.ts";
import type { StatusColumn } from "../errors/table.ts";

/** Includes `malformed-request`: every request has a query, and headers. */
const everywhere: readonly ErrorKind[] = [
  "malformed-request",
  "invalid-api-key",
  "account-inactive",
  "forbidden",
  "rate-limited",
  "internal-error",
  "unavailable",
];
const withInput: readonly ErrorKind[] = ["invalid-parameters"];
const withBody: readonly ErrorKind[] = ["invalid-parameters", "malformed-body", "payload-too-large"];
const withIdempotencyKey: readonly ErrorKind[] = ["idempotency-in-progress", "idempotency-key-reused"];

const IdempotencyKey = Type.Object({
  "Idempotency-Key": Type.Optional(
    Type.String({
      ...idempotencyKey,
      description: "For 24 hours, a retry with the same key gets the first response and has no further effect.",
      examples: ["0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d"],
    }),
  ),
});

/** Marks an operation whose body may be absent until the document says so itself (document.ts). */
export const optionalBodyMark = "x-body-optional";

type AnyOperation = Operation<TSchema, TSchema, TSchema, TSchema>;

export function operationSchema(
  method: string,
  operation: AnyOperation,
  { name, errorColumn }: { readonly name: InterfaceName; readonly errorColumn: StatusColumn },
): FastifySchema {
  const status = operation.status ?? 200;
  const kinds: ErrorKind[] = [
    ...(operation.errors ?? []),
    ...everywhere,
    ...(operation.query !== undefined || operation.params !== undefined ? withInput : []),
    ...(operation.body === undefined ? [] : withBody),
    ...(takesKey(method, operation) ? withIdempotencyKey : []),
  ];
  const schema: FastifySchema & Record<string, unknown> = {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    response: {
      // Without the 304, which only a request with If-None-Match gets: generators treat all but successes as errors.
      [status]: success(method, operation),
      ...(operation.waiting === undefined
        ? {}
        : {
            202: {
              ...success(method, { ...operation, answer: operation.waiting, example: {} }),
              description: "It waits.",
            },
          }),
      ...errorResponses(kinds, errorColumn, name),
    },
  };
  if (operation.params !== undefined) schema.params = operation.params;
  if (operation.query !== undefined) schema.querystring = operation.query;
  if (operation.body !== undefined)
    schema.body = withExample(named(operation.body, operation.id, "Request"), operation.example?.request);
  if (operation.bodyOptional === true) schema[optionalBodyMark] = true;
  if (takesKey(method, operation)) schema.headers = IdempotencyKey;
  if (operation.open === true) schema.security = [{}, { token: [] }];
  return schema;
}

function success(method: string, operation: AnyOperation): TSchema {
  return {
    ...content(operation),
    description: "Success.",
    headers: {
      "X-Request-Id": { type: "string", description: "The request ID, also in the service log." },
      ...(method === "GET" && operation.media === undefined ? { ETag: { type: "string", description: etag } } : {}),
      ...(takesKey(method, operation)
        ? { "Idempotency-Replayed": { type: "string", enum: ["true"], description: "This response is a replay." } }
        : {}),
    },
  };
}

/** An open operation has no account, whose keys these are. */
function takesKey(method: string, { open }: AnyOperation): boolean {
  return method === "POST" && open !== true;
}

const etag = "Send it as If-None-Match: the response is 304 without a body while nothing has changed.";

function content({ id, answer: declared, csv, example, media }: AnyOperation): TSchema {
  if (media !== undefined) return { content: { [media]: { schema: Type.String() } } };
  if (declared === undefined) return { type: "null" };
  const answer = named(declared, id, "Response");
  if (csv === undefined) return withExample(answer, example?.answer);
  const examples = example?.answer === undefined ? {} : { examples: { example: { value: example.answer } } };
  return { content: { "application/json": { schema: answer, ...examples }, "text/csv": { schema: Type.String() } } };
}

/** A shared body is named by its own title, others after their operation: `LaunchInstancesRequest`. */
function named(schema: TSchema, id: string, ending: "Request" | "Response"): TSchema {
  if ("title" in schema || !("type" in schema) || schema.type !== "object") return schema;
  return { ...schema, title: `${id.charAt(0).toUpperCase()}${id.slice(1)}${ending}` };
}

function withExample(schema: TSchema, example: unknown): TSchema {
  return example === undefined ? schema : { ...schema, "x-examples": { example: { value: example } } };
}
