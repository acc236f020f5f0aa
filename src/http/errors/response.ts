// The HTTP response of an error: status, headers and the one error body of every variant.
// Used by handler.ts for requests and by connection.ts for connections that never became one.

import type { InterfaceName } from "../../config/interfaces.ts";
import { RentalError } from "../../rental/errors.ts";
import { type ErrorDetails, type ErrorKind, HttpError } from "./api-error.ts";
import { type ErrorTable, errors, type StatusColumn } from "./table.ts";

export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly suggestion: string;
    readonly request_id: string;
  };
  readonly field_errors?: Readonly<Record<string, { readonly code: string; readonly message: string }>>;
}

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/** The response for one kind of error. `of`: the interface of the request, if any. */
export function responseFor<K extends ErrorKind>(
  kind: K,
  details: ErrorDetails[K],
  column: StatusColumn,
  requestId: string,
  of?: InterfaceName,
): ErrorResponse {
  const table: ErrorTable = errors;
  const row = table[kind];
  const fields = row.fieldErrors?.(details) ?? {};
  return {
    status: row.status[column],
    headers: row.headers?.(details) ?? {},
    body: {
      error: {
        code: codeOf(row, column),
        message: (column === "lambda" ? row.lambdaMessage?.(details) : undefined) ?? row.message(details),
        suggestion: (column === "lambda" ? row.lambdaSuggestion?.(details) : undefined) ?? row.suggestion(details, of),
        request_id: requestId,
      },
      ...(Object.keys(fields).length > 0 ? { field_errors: fields } : {}),
    },
  };
}

/** The wire code of a row of the table. */
export function codeOf(row: { readonly code: string; readonly lambdaCode?: string }, column: StatusColumn): string {
  return (column === "lambda" ? row.lambdaCode : undefined) ?? row.code;
}

/** The response for a thrown error. */
export function responseForError(
  refusal: RentalError | HttpError,
  column: StatusColumn,
  requestId: string,
  of?: InterfaceName,
): ErrorResponse {
  // The constructor pairs kind and details; TypeScript cannot follow that through the union.
  return responseFor(refusal.kind, refusal.details as ErrorDetails[ErrorKind], column, requestId, of);
}

/** What a rejection of the rental says, for what is stored. */
export function inWords(error: RentalError): string {
  return responseForError(error, "otherwise", "", "control").body.error.message;
}

/** True for expected errors, which are answered from the table. */
export function isRefusal(error: unknown): error is RentalError | HttpError {
  return error instanceof RentalError || error instanceof HttpError;
}
