// The ranges of an account's limits and budget alerts, wherever they are set: lessor.yaml (file-schema.ts) and the control
// interface. The console validates with these too.

/** Ten billion dollars. */
export const mostSpendLimitCents = 1_000_000_000_000;

/** Budget alerts of one account. */
export const mostBudgetAlerts = 10;

/** The largest that `limits.max_quantity` may be. */
export const mostQuantity = 1000;

/** A minute. */
export const leastLifetimeSeconds = 60;
/** Ten years. */
export const mostLifetimeSeconds = 315_360_000;
