// How long what is at the provider is claimed, ordered and retried, and what a check returns. Used by driver.ts and methods.ts.

/** What was not done, for the log. Without it: undefined. */
export interface Checked {
  readonly id: string;
  readonly problem: string | undefined;
}

/** How long a claim lasts, in seconds: longer than the calls of one payment take. */
export const leaseSeconds = 60;
/** After each attempt without a response; the last one repeats. In seconds. */
export const retrySeconds = [5, 15, 60, 300, 900, 3600];
/** Until then an order that the provider does not have is ordered again, in seconds. */
const orderingSeconds = 600;

/** Whether it can still be ordered: its idempotency key is known to the provider for longer than that. */
export function isNew({ claimedAt, createdAt }: { readonly claimedAt: Date; readonly createdAt: Date }): boolean {
  return claimedAt.getTime() - createdAt.getTime() < orderingSeconds * 1000;
}
