// The program's log: one JSON object a line, on standard output. Used by server.ts and handed down from there.
// Invariant, kept by who logs: never a token, a header's value, a body, an env value, or a query.

import { type DestinationStream, type Logger, pino } from "pino";

export type { Logger } from "pino";

/** `destination` is for tests. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return destination === undefined ? pino(options) : pino(options, destination);
}
