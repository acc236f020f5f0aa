// What goes wrong in a command, in words for a person, with the exit code that a script sees. Thrown by every file of this
// room; shown by run.ts alone.

import type { Exit } from "./exit-codes.ts";

export interface ErrorFacts extends ErrorOptions {
  /** The wire code of the service's refusal, where it was one. */
  readonly code?: string | undefined;
  /** Also in the service's log: for whoever runs it. */
  readonly requestId?: string | undefined;
  /** `failed` unless told. */
  readonly exit?: Exit;
}

/** What went wrong, in words for a person; `suggestion` says what to do. */
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

/** The command cannot mean anything as it was written; nothing was asked of the service. */
export function usageError(message: string, suggestion?: string): CommandError {
  return new CommandError(message, suggestion, { exit: "usage" });
}

/** Whether the service may have done what it was asked all the same: it was not reached, or its answer was lost. */
export function isUnanswered(error: unknown): error is CommandError {
  return error instanceof CommandError && error.exit === "unreachable";
}
