// The error table as documentation: the error responses of an OpenAPI operation, and the table in
// docs/reference/api/errors.md.

import { type TSchema, Type } from "typebox";
import type { InterfaceName } from "../../config/interfaces.ts";
import type { ErrorDetails, ErrorKind } from "./api-error.ts";
import { codeOf, responseFor } from "./response.ts";
import { type ErrorTable, errors, type StatusColumn } from "./table.ts";

/** All kinds, in the order of the table (whose type ensures these keys). */
export const errorKinds = Object.keys(errors) as readonly ErrorKind[];

const FieldError = Type.Object({ code: Type.String(), message: Type.String() }, { title: "FieldError" });

export const ErrorBodySchema = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: "Stable error code, for programs." }),
      message: Type.String({ description: "What happened, in one sentence." }),
      suggestion: Type.String({ description: "How to fix it." }),
      request_id: Type.String({ description: "Also in the X-Request-Id header and in the service log." }),
    }),
    field_errors: Type.Optional(
      Type.Record(Type.String(), FieldError, { description: "Problems with individual fields, by path." }),
    ),
  },
  { title: "Error" },
);

/** Few operations have their own errors, so few of these differ. */
const made = new Map<string, Readonly<Record<number, TSchema>>>();

/** The responses of an interface for these kinds of error, by status, with one example for each kind. */
export function errorResponses(
  kinds: readonly ErrorKind[],
  column: StatusColumn,
  of: InterfaceName,
): Readonly<Record<number, TSchema>> {
  const key = [of, column, ...kinds].join(" ");
  const responses = made.get(key) ?? makeResponses(kinds, column, of);
  made.set(key, responses);
  return responses;
}

function makeResponses(kinds: readonly ErrorKind[], column: StatusColumn, of: InterfaceName): Record<number, TSchema> {
  const table: ErrorTable = errors;
  const byStatus = Map.groupBy(new Set(kinds), (kind) => table[kind].status[column]);
  const responses: Record<number, TSchema> = {};
  for (const [status, those] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[status] = {
      ...ErrorBodySchema,
      description: those.map((kind) => `\`${codeOf(table[kind], column)}\`: ${table[kind].when}.`).join("\n\n"),
      "x-examples": Object.fromEntries(those.map((kind) => [kind, { value: exampleOf(kind, column, of) }])),
    };
  }
  return responses;
}

/** All errors as a markdown table, one row for each, in the order of the table. */
export function errorsAsMarkdown(): string {
  const table: ErrorTable = errors;
  const rows = errorKinds.map((kind) => {
    const { code, lambdaCode, status, when } = table[kind];
    const inLambda = lambdaCode === undefined ? "" : ` (lambda: \`${lambdaCode}\`)`;
    return `| \`${code}\`${inLambda} | ${status.reference} | ${status.lambda} | ${status.otherwise} | ${when} |`;
  });
  return ["| code | R | lambda | M, D, control | when |", "|---|---|---|---|---|", ...rows].join("\n");
}

function exampleOf<K extends ErrorKind>(kind: K, column: StatusColumn, of: InterfaceName) {
  const table: { readonly [P in ErrorKind]: { readonly example: ErrorDetails[P] } } = errors;
  return responseFor(kind, table[kind].example, column, "0b5f0c7e-3f1d-4c55-8a6b-2d1f6f0a9e11", of).body;
}
