// The points at which the evictor can be interrupted: all that it writes it writes at one of them, and they are failpoints of
// the reconciler (reconciler/failpoints.ts), which runs it. Used by evictor.ts.

/** `evictionsSettled` decides for one beneficiary: notices, their ends, and what is withdrawn. */
export const evictorPoints = ["evictionsSettled", "evictionsWithdrawn", "evictionsUndone"] as const satisfies string[];

export type EvictorPoint = (typeof evictorPoints)[number];

/** Runs `pass` at the point, normally once and at once. */
export type EvictorGate = <T>(point: EvictorPoint, pass: () => Promise<T>) => Promise<T>;
