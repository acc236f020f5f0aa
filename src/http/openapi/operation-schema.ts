// One operation as Fastify and @fastify/swagger want it: the schemas that are validated, and the entry in the document
// with examples, headers and every error the operation can give.

import type { FastifySchema } from "fastify";
import { type TSchema, Type } from "typebox";
import { errorResponses } from "../errors/documentation.ts";
import type { ErrorKind } from "../errors/refusal.ts";
import type { StatusColumn } from "../errors/table.ts";
import type { Operation } from "../operations.ts";

/** `malformed-request` too: every request has a query, and headers. */
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
      description: "For 24 hours a request repeated with the same key gets the first answer and has no second effect.",
      examples: ["0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d"],
    }),
  ),
});

/** Marks an operation whose body may be absent until the document says so itself (optional-bodies.ts). */
export const optionalBodyMark = "x-body-optional";

type AnyOperation = Operation<TSchema, TSchema, TSchema, TSchema>;

export function operationSchema(method: string, operation: AnyOperation, column: StatusColumn): FastifySchema {
  const status = operation.status ?? 200;
  const kinds: ErrorKind[] = [
    ...(operation.errors ?? []),
    ...everywhere,
    ...(operation.query !== undefined || operation.params !== undefined ? withInput : []),
    ...(operation.body === undefined ? [] : withBody),
    ...(method === "POST" ? withIdempotencyKey : []),
  ];
  const schema: FastifySchema & Record<string, unknown> = {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    response: {
      [status]: success(method, operation),
      ...(method === "GET" && operation.media === undefined ? { 304: notModified } : {}),
      ...errorResponses(kinds, column),
    },
  };
  if (operation.params !== undefined) schema.params = operation.params;
  if (operation.query !== undefined) schema.querystring = operation.query;
  if (operation.body !== undefined) schema.body = withExample(operation.body, operation.example?.request);
  if (operation.bodyOptional === true) schema[optionalBodyMark] = true;
  if (method === "POST") schema.headers = IdempotencyKey;
  return schema;
}

function success(method: string, operation: AnyOperation): TSchema {
  return {
    ...content(operation),
    description: "Success.",
    headers: {
      "X-Request-Id": { type: "string", description: "The request's id, also in the log of the service." },
      ...(method === "GET" && operation.media === undefined
        ? { ETag: { type: "string", description: "Send it as If-None-Match to get 304." } }
        : {}),
      ...(method === "POST"
        ? { "Idempotency-Replayed": { type: "string", enum: ["true"], description: "This answer is a repetition." } }
        : {}),
    },
  };
}

function content({ answer, csv, example, media }: AnyOperation): TSchema {
  if (media !== undefined) return { content: { [media]: { schema: Type.String() } } };
  if (answer === undefined) return { type: "null" };
  if (csv === undefined) return withExample(answer, example?.answer);
  const examples = example?.answer === undefined ? {} : { examples: { example: { value: example.answer } } };
  return { content: { "application/json": { schema: answer, ...examples }, "text/csv": { schema: Type.String() } } };
}

const notModified: TSchema = { type: "null", description: "You have it already: its ETag is in your If-None-Match." };

function withExample(schema: TSchema, example: unknown): TSchema {
  return example === undefined ? schema : { ...schema, "x-examples": { example: { value: example } } };
}
