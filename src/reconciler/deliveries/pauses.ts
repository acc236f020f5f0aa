// Pauses after failures: of a webhook whose attempts fail, and of an origin that cannot be reached, for all webhooks of
// all accounts there (a circuit breaker). A pause begins after a few consecutive failures and grows with each further
// one. When it ends, one attempt is made, and only its success allows the others. Used by lease-store.ts, turn.ts,
// outcome.ts.
//
// Invariants. The state is in the database, so it applies to all replicas: while an origin (scheme, host and port) is
// paused, none attempts anything there; after the pause exactly one attempt is made, by the replica whose `takeProbe`
// succeeds. Only attempts without a connection count as failures of the origin; any response, also an error, ends its
// pause. So no account can pause what others use, neither by responding with errors nor by a port where nothing
// listens.
//
// Limit. Before the pause, `failuresBeforePause` attempts can fail, plus those in progress by then. Afterwards there is
// one per pause, which lasts 5 s at first and 5 minutes at most.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { DeliverySettings } from "./settings.ts";

type PauseSettings = Pick<DeliverySettings, "failuresBeforePause" | "pauseSeconds">;

/** The time of the next attempt after consecutive failures including this one, with 25% jitter. */
function pauseEnd(
  failures: RawBuilder<number>,
  { failuresBeforePause, pauseSeconds }: PauseSettings,
): RawBuilder<Date> {
  const [first, most] = pauseSeconds;
  return sql<Date>`now() + make_interval(secs => (0.75 + random() / 2)
    * least(${most}::float8, ${first}::float8 * power(2, least(20, ${failures} - ${failuresBeforePause}::integer))))`;
}

/** Whether the origin of `webhooks w` is paused. */
export function originIsPaused({ failuresBeforePause }: PauseSettings): RawBuilder<boolean> {
  return sql<boolean>`exists (select from webhook_origins o where o.origin = w.origin
    and o.failures >= ${failuresBeforePause} and o.next_attempt_at > now())`;
}

/** Whether the origin of `webhooks w` was paused and has not responded since: each attempt there needs `takeProbe`. */
export function originIsFailing({ failuresBeforePause }: PauseSettings): RawBuilder<boolean> {
  return sql<boolean>`exists (select from webhook_origins o where o.origin = w.origin and o.failures >= ${failuresBeforePause})`;
}

/** Allows the caller one attempt at an origin whose pause has ended. False: the pause continues, or another replica took it. */
export async function takeProbe(
  db: Database,
  origin: string,
  { failuresBeforePause, attemptSeconds }: DeliverySettings,
): Promise<boolean> {
  // Longer than an attempt: if this replica dies, another attempt follows then.
  const { numAffectedRows } = await sql`
    update webhook_origins set next_attempt_at = now() + make_interval(secs => ${attemptSeconds + 5}::float8)
    where origin = ${origin} and failures >= ${failuresBeforePause} and next_attempt_at <= now()`.execute(db);
  return numAffectedRows === 1n;
}

/** Records what an attempt means for its origin. `isProbe`: `takeProbe` allowed it. */
export async function noteOrigin(
  tx: Transaction,
  origin: string,
  { reached, isProbe }: { readonly reached: boolean; readonly isProbe: boolean },
  settings: DeliverySettings,
): Promise<void> {
  if (reached) {
    await sql`delete from webhook_origins where origin = ${origin}`.execute(tx);
    return;
  }
  // An attempt that fails during the pause began before it, and does not count again.
  const says = isProbe ? sql`true` : sql`(o.failures < ${settings.failuresBeforePause} or o.next_attempt_at <= now())`;
  await sql`
    insert into webhook_origins as o (origin, failures) values (${origin}, 1)
    on conflict (origin) do update set failures = o.failures + 1, failed_at = now(),
      next_attempt_at = case when o.failures + 1 >= ${settings.failuresBeforePause}
        then ${pauseEnd(sql<number>`o.failures + 1`, settings)} else now() end
    where ${says}`.execute(tx);
}

/** The columns to set in `webhooks` after a failed attempt. */
export function afterFailure(settings: DeliverySettings): RawBuilder<unknown> {
  const paused = sql`coalesce(paused_until > now(), false)`;
  return sql`
    failures = case when ${paused} then failures else failures + 1 end,
    paused_until = case when ${paused} then paused_until
      when failures + 1 >= ${settings.failuresBeforePause} then ${pauseEnd(sql<number>`failures + 1`, settings)} end`;
}

/** Deletes origins without an attempt for a day. Returns how many. */
export async function deleteOldOrigins(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_origins where failed_at < now() - interval '1 day' and next_attempt_at < now()`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
