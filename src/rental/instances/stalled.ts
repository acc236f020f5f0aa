// Which work on instances is in trouble: tried again because it failed, or not done for long. For operators, who find
// among thousands of instances the few that somebody has to look at. Used by instance-store.ts and reconcile-status.ts.

import { type RawBuilder, sql } from "kysely";

export const stalledKinds = {
  "tried-again": "the engine operation failed or was interrupted, and is being retried",
  slow: "the requested state was not reached within three minutes",
} as const;
export type StalledKind = keyof typeof stalledKinds;

/** Far longer than machines take that boot well, and shorter than the deadline of a boot (10 minutes unless told). */
const slowSeconds = 180;

/**
 * The StalledKind of a row of `instances`, null where there is none. Work that only waits begins to count anew each time
 * (attempts 0), and work that is done for the first time has a lease; so what is left of attempts are failures.
 */
export const trouble: RawBuilder<StalledKind | null> = sql<StalledKind | null>`(case
  when next_look_at is null then null
  when attempts > 1 or (attempts = 1 and lease_owner is null) then 'tried-again'
  when fulfilled_generation < generation and wished_at <= now() - make_interval(secs => ${sql.lit(slowSeconds)}) then 'slow'
end)`;
