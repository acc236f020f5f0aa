// Pauses after failures: of a webhook whose attempts fail, and of a destination that cannot be reached, for all webhooks of
// all accounts there (a circuit breaker). Each begins after a few failures in a row and grows with each more; when it is over
// one attempt is made, and only its success lets the others go. Used by lease-store.ts, turn.ts, outcome.ts.
//
// Invariants. The state is in the database, so it holds for all servers together: while a destination is paused no server
// attempts anything there, and when the pause is over exactly one attempt is made, by the server whose `takeProbe`
// succeeds. A destination is an origin: scheme, host and port. It counts as failing only by attempts that reached nothing;
// any answer, also an error, ends its pause. So no account pauses what others use: neither by making it answer with errors,
// nor by a port of that host where nothing listens.
//
// Bound. Before a destination is paused its attempts may run at once: at most `failuresBeforePause` that failed, and those
// that were under way by then. From then on there is one in each pause, 5 s at first and 5 minutes at most.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { DeliverySettings } from "./settings.ts";

type PauseSettings = Pick<DeliverySettings, "failuresBeforePause" | "pauseSeconds">;

/** When what has failed so often in a row, with this failure, is attempted next; give or take a quarter. */
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

/** Whether the origin of `webhooks w` was paused and has not answered since: each attempt there needs `takeProbe`. */
export function originIsFailing({ failuresBeforePause }: PauseSettings): RawBuilder<boolean> {
  return sql<boolean>`exists (select from webhook_origins o where o.origin = w.origin and o.failures >= ${failuresBeforePause})`;
}

/** Lets the caller make one attempt at an origin whose pause is over. False: the pause goes on, or another server has it. */
export async function takeProbe(
  db: Database,
  origin: string,
  { failuresBeforePause, attemptSeconds }: DeliverySettings,
): Promise<boolean> {
  // Longer than an attempt takes: where its server dies, another attempt is made then.
  const { numAffectedRows } = await sql`
    update webhook_origins set next_attempt_at = now() + make_interval(secs => ${attemptSeconds + 5}::float8)
    where origin = ${origin} and failures >= ${failuresBeforePause} and next_attempt_at <= now()`.execute(db);
  return numAffectedRows === 1n;
}

/** What an attempt says about its origin. `isProbe`: `takeProbe` allowed it. */
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
  // What failed while the origin is paused was under way before, and says nothing new.
  const says = isProbe ? sql`true` : sql`(o.failures < ${settings.failuresBeforePause} or o.next_attempt_at <= now())`;
  await sql`
    insert into webhook_origins as o (origin, failures) values (${origin}, 1)
    on conflict (origin) do update set failures = o.failures + 1, failed_at = now(),
      next_attempt_at = case when o.failures + 1 >= ${settings.failuresBeforePause}
        then ${pauseEnd(sql<number>`o.failures + 1`, settings)} else now() end
    where ${says}`.execute(tx);
}

/** The columns of a webhook after an attempt that failed, for an update of `webhooks`. */
export function afterFailure(settings: DeliverySettings): RawBuilder<unknown> {
  const paused = sql`coalesce(paused_until > now(), false)`;
  return sql`
    failures = case when ${paused} then failures else failures + 1 end,
    paused_until = case when ${paused} then paused_until
      when failures + 1 >= ${settings.failuresBeforePause} then ${pauseEnd(sql<number>`failures + 1`, settings)} end`;
}

/** Forgets origins that nothing was attempted at for a day. How many. */
export async function deleteOldOrigins(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_origins where failed_at < now() - interval '1 day' and next_attempt_at < now()`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
