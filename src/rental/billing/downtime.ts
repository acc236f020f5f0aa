// Undelivered time is not billed: while the host of an instance is not reached, for longer than a tolerance, its billing
// pauses, back to the last time that the host was reached. A guest's own silence never counts. Called by the resync and
// by what records reachability; the spans' `downtime` is taken into account by cost-sql.ts.
//
// Invariant: downtime begins with instances.unreachable_since and ends when the host is reached again. It is written
// once it exceeds the tolerance, without an end until then, and never within a closed month. Instances are locked in
// order of id before their spans are written.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";

/** Instances per transaction, so that locks are held for some milliseconds. */
const BATCH = 500;

/** Pauses billing of the engine's instances that have been unreachable for longer. Returns how many. */
export async function pauseUndelivered(db: Database, engine: string, toleranceSeconds: number): Promise<number> {
  for (let paused = 0; ; ) {
    const some = await inTransaction(db, (tx) => pauseSome(tx, engine, toleranceSeconds));
    paused += some;
    if (some < BATCH) return paused;
  }
}

async function pauseSome(tx: Transaction, engine: string, toleranceSeconds: number): Promise<number> {
  // What was removed meanwhile was unreachable until then.
  const { rows } = await sql<{ id: string }>`
    select id from instances
    where engine = ${engine} and unreachable_since is not null and not is_down
      and coalesce(terminated_at, now()) - unreachable_since > make_interval(secs => ${toleranceSeconds}::float8)
    order by id limit ${BATCH} for update`.execute(tx);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await sql`
    update billing_spans s set downtime = s.downtime + tstzmultirange(tstzrange(down.since, null))
    from (
      select i.id, greatest(i.unreachable_since,
        (select (max(month) + interval '1 month') at time zone 'UTC' from closed_months)) as since
      from instances i where i.id = any(${ids}::uuid[])
    ) down
    where s.instance_id = down.id and coalesce(s.ended_at, 'infinity') > down.since`.execute(tx);
  await sql`update instances set is_down = true where id = any(${ids}::uuid[])`.execute(tx);
  return ids.length;
}

/** Resumes billing of these instances now; does nothing for those that are not paused. The caller holds their row locks. */
export async function resumeBilling(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  await sql`
    update billing_spans set downtime = downtime * tstzmultirange(tstzrange(null, billing_now()))
    where instance_id = any(${[...instanceIds]}::uuid[]) and upper_inf(downtime)`.execute(tx);
}
