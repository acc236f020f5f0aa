// Limits on what runs: what other rooms may use. What bounds a launch is billing/launch-limits.ts.

export { endLifetimes, warningSeconds } from "./lifetimes.ts";
export { deleteOldNotices } from "./retention.ts";
export { enforceSpendLimits } from "./spend-limits.ts";
