// Undelivered time is not paid for: while the host of an instance is not reached, for longer than a tolerance, its
// billing pauses, back to the last time that the host was reached; or the time is billed, and credited when the host is
// reached again. A guest's own silence never counts. Used by the resync; cost-sql.ts takes the spans' `downtime` into
// account.
//
// Invariant: downtime begins with instances.unreachable_since and ends when the host is reached again, or with the
// instance. A pause has no end until then, and never lies in a closed month: what does of its time is credited in the
// open one. Each second is paused or credited once. What is stopped for maintenance stays paused when its host is reached
// again (maintenance-pause.ts). Instances are locked in order of id before their spans are written.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import type { DowntimeSettings } from "../../rules/downtime.ts";
import { giveCredits } from "./credits.ts";

/** Instances per transaction, so that locks are held for some milliseconds. */
const BATCH = 500;

/** The end of the last closed month; null: none is closed. */
const closedUntil = sql<Date>`(select (max(month) + interval '1 month') at time zone 'UTC' from closed_months)`;

/**
 * Notes which of the engine's instances have been unreachable for longer, and ends the downtime of those that were
 * removed meanwhile. Returns how many were noted.
 */
export async function noteDowntime(db: Database, engine: string, settings: DowntimeSettings): Promise<number> {
  if (settings.policy === "none") return 0;
  for (let noted = 0; ; ) {
    const [some, ended] = await inTransaction(db, async (tx) => [
      await noteSome(tx, engine, settings),
      await endSome(tx, engine),
    ]);
    noted += some;
    if (some < BATCH && ended < BATCH) return noted;
  }
}

async function noteSome(
  tx: Transaction,
  engine: string,
  { policy, toleranceSeconds }: DowntimeSettings,
): Promise<number> {
  // What was removed meanwhile was unreachable until then. What has no bill yet is noted once it has one, so that its
  // span pauses too: its host may answer, and be gone again, between two resyncs.
  const { rows } = await sql<{ id: string }>`
    select id from instances
    where engine = ${engine} and unreachable_since is not null and not is_down
      and coalesce(terminated_at, now()) - unreachable_since > make_interval(secs => ${toleranceSeconds}::float8)
      and exists (
        select from billing_spans s
        where s.instance_id = instances.id and coalesce(s.ended_at, 'infinity') > instances.unreachable_since)
    order by id limit ${BATCH} for update`.execute(tx);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  if (policy === "pause") await pause(tx, ids);
  await sql`update instances set is_down = true where id = any(${ids}::uuid[])`.execute(tx);
  return ids.length;
}

async function pause(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  const ids = sql`${[...instanceIds]}::uuid[]`;
  await sql`
    update billing_spans s set downtime = s.downtime + tstzmultirange(tstzrange(down.since, null))
    from (select id, greatest(unreachable_since, ${closedUntil}) as since from instances where id = any(${ids})) down
    where s.instance_id = down.id and coalesce(s.ended_at, 'infinity') > down.since`.execute(tx);
  await giveCredits(
    tx,
    "downtime",
    sql`(
      select id as instance_id, unreachable_since as began_at, ${closedUntil} as ended_at
      from instances where id = any(${ids}) and unreachable_since < ${closedUntil})`,
  );
}

async function endSome(tx: Transaction, engine: string): Promise<number> {
  const { rows } = await sql<WasUnreachable>`
    select id, is_down from instances
    where engine = ${engine} and unreachable_since is not null and terminated_at is not null
    order by id limit ${BATCH} for update`.execute(tx);
  await endDowntime(tx, rows);
  const ids = rows.map(({ id }) => id);
  await sql`update instances set unreachable_since = null, is_down = false where id = any(${ids}::uuid[])`.execute(tx);
  return rows.length;
}

/** An instance that is reachable again, as it was before. */
export interface WasUnreachable {
  readonly id: string;
  readonly is_down: boolean;
}

/**
 * Ends the downtime of these instances now, or when they were removed, for those that have one: their billing resumes,
 * or the time is credited. The caller holds their row locks, and they still have `unreachable_since`.
 */
export async function endDowntime(tx: Transaction, instances: readonly WasUnreachable[]): Promise<void> {
  const ids = instances.filter(({ is_down: isDown }) => isDown).map(({ id }) => id);
  if (ids.length === 0) return;
  const { rows } = await sql<{ instance_id: string }>`
    update billing_spans set downtime = downtime * tstzmultirange(tstzrange(null, billing_now()))
    where instance_id = any(${ids}::uuid[]) and upper_inf(downtime)
      and not exists (select from instances i where i.id = instance_id and i.stopped_for is not null)
    returning instance_id`.execute(tx);
  const paused = new Set(rows.map((row) => row.instance_id));
  const credited = ids.filter((id) => !paused.has(id));
  if (credited.length === 0) return;
  await giveCredits(
    tx,
    "downtime",
    sql`(
      select id as instance_id, unreachable_since as began_at, coalesce(terminated_at, billing_now()) as ended_at
      from instances where id = any(${credited}::uuid[]))`,
  );
}
