// The error of a command: a message for people, and the exit code for scripts. Thrown by every file of this module;
// shown only by run.ts.

import type { Exit } from "./exit-codes.ts";

export interface ErrorFacts extends ErrorOptions {
  /** The wire code of the API error, if there is one. */
  readonly code?: string | undefined;
  /** Also in the service's log, for its operator. */
  readonly requestId?: string | undefined;
  /** Default: `failed`. */
  readonly exit?: Exit;
}

/** The cause, for people; `suggestion` says what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly suggestion: string | undefined;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly exit: Exit;

  constructor(message: string, suggestion?: string, facts: ErrorFacts = {}) {
    super(message, facts);
    this.suggestion = suggestion;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.exit = facts.exit ?? "failed";
  }
}

/** The command line is invalid; no request was sent. */
export function usageError(message: string, suggestion?: string): CommandError {
  return new CommandError(message, suggestion, { exit: "usage" });
}

/** Whether the service may have done what was requested: it was not reached, or its response was lost. */
export function isUnanswered(error: unknown): error is CommandError {
  return error instanceof CommandError && error.exit === "unreachable";
}
