// The months that can be exported for accounting. Pure. Used by all-invoices-page.tsx.

/** How many are offered. */
const offered = 24;

/** Months (UTC) that ended before, such as 2026-02, newest first. */
export function endedMonths(now: Date): readonly string[] {
  return Array.from({ length: offered }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1 - index, 1)).toISOString().slice(0, 7),
  );
}
