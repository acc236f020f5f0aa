// Where the reconciler logs: one structured line for each transition, and what an operator has to know. `src/log.ts` fits.
// Invariant: names, ids, states, numbers and the engine's own words; never a guest's settings.

export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** An error in words that may be logged, with what caused it: an engine's own words may be for operators only. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${reason(error.cause)})` : error.message;
}
