// When capacity for an instance type in a region counts as changed for accounts that asked to be told (capacity notices):
// only when it has lasted, so that a GPU that comes and goes sends no event each time. Used by
// rental/capacity-notices, the control interface, the reconciler's settings and the documents.

/** How many notices an account can have. */
export const noticesPerAccount = 100;

/** Between two readings of what is free. */
export const capacityReadSeconds = 5;

/** How long capacity has to be seen without interruption until it is announced, and its absence. */
export const announcedAfterSeconds = { available: 15, unavailable: 60 } as const;

/** What is announced of an instance type in a region. Times are in milliseconds since 1970. */
export interface Announced {
  readonly isAvailable: boolean;
  readonly sinceMs: number;
  /** Since when each reading was the opposite; undefined: the last one was not. */
  readonly oppositeSinceMs: number | undefined;
}

/** What is announced after a reading, which is later than all that `before` knows of; `before` itself if that is the same. */
export function announcedAfter<T extends Announced>(before: T, isAvailable: boolean, atMs: number): T {
  const { oppositeSinceMs } = before;
  if (isAvailable === before.isAvailable) {
    return oppositeSinceMs === undefined ? before : { ...before, oppositeSinceMs: undefined };
  }
  if (oppositeSinceMs === undefined) return { ...before, oppositeSinceMs: atMs };
  const needed = announcedAfterSeconds[isAvailable ? "available" : "unavailable"] * 1000;
  return atMs - oppositeSinceMs < needed
    ? before
    : { ...before, isAvailable, sinceMs: atMs, oppositeSinceMs: undefined };
}
