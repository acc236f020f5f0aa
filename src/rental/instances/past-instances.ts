// Deletes instances that ended long ago, and keeps what usage and resyncs need of each; and deletes user data that no
// instance can boot with. Used by maintenance jobs (reconciler/maintenance), by billing/ and by
// reconciler/resync-store.ts.
//
// Invariants: an id is in `instances` or in `past_instances`, never in both and never lost, because one statement moves
// it: reading both in one statement finds each instance once. A deleted instance has ended, so it reserves nothing; the
// database rejects the deletion if a GPU or file system says otherwise. Its span stays, and with it all usage.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";

/** What is known of every instance that ever existed. */
export interface KnownInstance {
  readonly id: string;
  readonly name: string;
  readonly instance_type: string;
  readonly region: string;
  readonly failure_code: string | null;
  readonly ended_by: string | null;
  readonly reservation_id: string | null;
}

const known = sql`id, name, instance_type, region, failure_code, ended_by, reservation_id`;

/** Every instance that ever existed, as KnownInstance. Only for use in a FROM; each half is found by its key. */
export const everyInstance: RawBuilder<KnownInstance> = sql<KnownInstance>`(
  select ${known} from instances
  union all
  select ${known} from past_instances)`;

/** Limits how long one statement holds locks: a row can have 100 KiB of encrypted env values. */
const ordinaryBatch = 1_000;

/**
 * Deletes instances that ended more than `days` days ago, with all encrypted values; they can no longer be read
 * (Instance life: a single read finds a terminated instance for 30 days). Returns how many. Ends early when `signal` is
 * aborted. `batch`: for tests.
 */
export async function deleteOldInstances(
  db: Database,
  days: number,
  signal: AbortSignal,
  batch = ordinaryBatch,
): Promise<number> {
  let deleted = 0;
  for (let some = batch; some === batch && !signal.aborted; ) {
    const { numAffectedRows } = await sql`
      with gone as (
        delete from instances where id = any(array(
          select id from instances
          where terminated_at <= now() - make_interval(days => ${days})
          order by terminated_at limit ${batch}
          for update skip locked))
        returning ${known})
      insert into past_instances (${known})
      select ${known} from gone`.execute(db);
    some = Number(numAffectedRows ?? 0n);
    deleted += some;
  }
  return deleted;
}

/** Maximum per statement: each can be larger than a mebibyte. */
const userDataBatch = 100;

/**
 * Deletes user data without an instance: an instance drops its reference when it is terminated (record-observation.ts).
 * A launch writes both in one transaction, so its user data is never without instances. Returns how many. Ends early
 * when `signal` is aborted. `batch`: for tests.
 */
export async function deleteUnusedUserData(db: Database, signal: AbortSignal, batch = userDataBatch): Promise<number> {
  let deleted = 0;
  for (let some = batch; some === batch && !signal.aborted; ) {
    const { numAffectedRows } = await sql`
      delete from user_data where id = any(array(
        select u.id from user_data u
        where not exists (select 1 from instances i where i.user_data_id = u.id)
        limit ${batch}
        for update skip locked))`.execute(db);
    some = Number(numAffectedRows ?? 0n);
    deleted += some;
  }
  return deleted;
}
