// Which operations on instances are stalled: retried after a failure, or not finished for long. For operators, who find
// with it the few instances that need attention. Used by instance-store.ts and reconcile-status.ts.

import { type RawBuilder, sql } from "kysely";

export const stalledKinds = {
  "tried-again": "the engine operation failed or was interrupted, and is being retried",
  slow: "the requested state was not reached within three minutes",
} as const;
export type StalledKind = keyof typeof stalledKinds;

/** Far longer than a successful boot, and shorter than the boot deadline (10 minutes by default). */
const slowSeconds = 180;

/**
 * The StalledKind of a row of `instances`, or null. A waiting operation resets attempts to 0, and a first attempt has a
 * lease; so other attempts are failures.
 */
export const trouble: RawBuilder<StalledKind | null> = sql<StalledKind | null>`(case
  when next_look_at is null then null
  when attempts > 1 or (attempts = 1 and lease_owner is null) then 'tried-again'
  when fulfilled_generation < generation and wished_at <= now() - make_interval(secs => ${sql.lit(slowSeconds)}) then 'slow'
end)`;
