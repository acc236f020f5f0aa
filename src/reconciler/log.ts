// The reconciler's logger: one structured line per transition, and what operators need to know. `src/log.ts` implements
// it. Invariant: names, ids, states, numbers and the engine's messages; never a guest's settings.

export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** An error and its causes for the log; an engine's own messages can be for operators only. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${reason(error.cause)})` : error.message;
}
