// What follows when an engine finds no capacity after a launch was accepted. Without a wait the launch has failed; with
// one the instance is tried again until the wait is over. The SQL of it, used by lease-store.ts.
//
// Invariant: meanwhile it boots for the first time, so it is not billed, holds its capacity, and can be terminated. Tried
// again where it is, not placed anew: what it holds here is what it was promised, and no other launch can have it.

import { type RawBuilder, sql } from "kysely";
import type { Settings } from "./settings.ts";

/** The progress meanwhile. */
export const roomProgress = "waiting for capacity";

/** Clouds accept a try, and need some seconds to find that there is no capacity: so long after it nothing is known. */
const toldWithin = sql`interval '10 seconds'`;

const waits = sql`(waits_until > now())`;

/** `wished_at` of a claimed row: each try has the whole time of a boot, however long nothing was tried. */
export const bootBegins: RawBuilder<Date> = sql`
  case when room_try_at <= now() and ${waits} then now() else wished_at end`;

/** Whether the boot deadline counts for a claimed row. */
export const hasDeadline: RawBuilder<boolean> = sql`(room_try_at is null or not ${waits})`;

/** Seconds until a try that comes too early, such as by a hint, may be made; null or negative: it may. */
export const roomTryIn: RawBuilder<number | null> = sql`
  case when ${waits} then extract(epoch from room_try_at - now())::float8 end`;

/** Seconds until the next try if this one finds no capacity, the more the older the launch is; null: it does not wait. */
export function roomRetryIn({ retrySeconds: [least, most] }: Settings): RawBuilder<number | null> {
  const age = sql`extract(epoch from now() - created_at)`;
  return sql`case when ${waits} then least(extract(epoch from waits_until - now()),
    least(${most}::float8, greatest(${least}::float8, ${age} / 4)) * (0.5 + random() / 2))::float8 end`;
}

/** `room_try_at` of the row `i` that is released as `r` says. */
export const roomTryAt: RawBuilder<Date | null> = sql`case
  when r.is_full and i.generation = r.generation then now() + make_interval(secs => r.seconds)
  when r.manner in ('wait', 'settled') and i.room_try_at <= now() - ${toldWithin} then null
  else i.room_try_at end`;
