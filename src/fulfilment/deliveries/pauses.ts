// Pauses after failures: of a webhook whose attempts fail, and of a destination host that cannot be reached, for all
// webhooks of all accounts there (a circuit breaker). Each begins after a few failures in a row and grows with each more;
// when it is over one attempt is made, and only its success lets the others go. Used by lease-store.ts, turn.ts, outcome.ts.
//
// Invariants. The state is in the database, so it holds for all servers together: while a host is paused no server
// attempts anything there, and when the pause is over exactly one attempt is made, by the server whose `takeProbe`
// succeeds. A host counts as failing only by attempts that reached nothing; any answer, also an error, ends its pause. So
// no customer can pause a host that others use by making it answer with errors.
//
// Bound. Before a host is paused its attempts may run at once: at most `failuresBeforePause` that failed, and those that
// were under way by then. From then on there is one in each pause, 5 s at first and 5 minutes at most.

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

/** Whether the host of `webhooks w` is paused. */
export function hostIsPaused({ failuresBeforePause }: PauseSettings): RawBuilder<boolean> {
  return sql<boolean>`exists (select from webhook_hosts h where h.host = w.host
    and h.failures >= ${failuresBeforePause} and h.next_attempt_at > now())`;
}

/** Whether the host of `webhooks w` was paused and has not answered since: each attempt there needs `takeProbe`. */
export function hostIsFailing({ failuresBeforePause }: PauseSettings): RawBuilder<boolean> {
  return sql<boolean>`exists (select from webhook_hosts h where h.host = w.host and h.failures >= ${failuresBeforePause})`;
}

/** Lets the caller make one attempt at a host whose pause is over. False: the pause goes on, or another server has it. */
export async function takeProbe(
  db: Database,
  host: string,
  { failuresBeforePause, attemptSeconds }: DeliverySettings,
): Promise<boolean> {
  // Longer than an attempt takes: where its server dies, another attempt is made then.
  const { numAffectedRows } = await sql`
    update webhook_hosts set next_attempt_at = now() + make_interval(secs => ${attemptSeconds + 5}::float8)
    where host = ${host} and failures >= ${failuresBeforePause} and next_attempt_at <= now()`.execute(db);
  return numAffectedRows === 1n;
}

/** What an attempt says about its host. `isProbe`: `takeProbe` allowed it. */
export async function noteHost(
  tx: Transaction,
  host: string,
  { reached, isProbe }: { readonly reached: boolean; readonly isProbe: boolean },
  settings: DeliverySettings,
): Promise<void> {
  if (reached) {
    await sql`delete from webhook_hosts where host = ${host}`.execute(tx);
    return;
  }
  // What failed while the host is paused was under way before, and says nothing new.
  const says = isProbe ? sql`true` : sql`(h.failures < ${settings.failuresBeforePause} or h.next_attempt_at <= now())`;
  await sql`
    insert into webhook_hosts as h (host, failures) values (${host}, 1)
    on conflict (host) do update set failures = h.failures + 1, failed_at = now(),
      next_attempt_at = case when h.failures + 1 >= ${settings.failuresBeforePause}
        then ${pauseEnd(sql<number>`h.failures + 1`, settings)} else now() end
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

/** Forgets hosts that nothing was attempted at for a day. How many. */
export async function deleteOldHosts(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_hosts where failed_at < now() - interval '1 day' and next_attempt_at < now()`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
