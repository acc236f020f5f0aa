// Lets go of instances that ended long ago, and keeps of each what usage and sweeps still ask for; and of user data as soon
// as nothing can boot with it. Used by chores (reconciler/maintenance), by billing/ and by reconciler/resync-store.ts.
//
// Invariants: an id is in `instances` or in `past_instances`, never in both and never lost, because one statement moves
// it: whoever reads both in one statement sees each instance once. What goes has ended, so it holds nothing; where a GPU
// or a file system says otherwise, the database refuses. Its span stays, and with it every number of usage.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";

/** What is known of every instance there ever was. */
export interface KnownInstance {
  readonly id: string;
  readonly name: string;
  readonly instance_type: string;
  readonly region: string;
  readonly failure_code: string | null;
}

/** Every instance there ever was, KnownInstance by KnownInstance. Only for use in a FROM; each half is found by its key. */
export const everyInstance: RawBuilder<KnownInstance> = sql<KnownInstance>`(
  select id, name, instance_type, region, failure_code from instances
  union all
  select id, name, instance_type, region, failure_code from past_instances)`;

/** At most so many a statement, so that none holds locks for long: a row may have 100 KiB of sealed env values. */
const ordinaryBatch = 1_000;

/**
 * Deletes instances that ended more than `days` days ago, which nobody can read any more (Instance life: a single read
 * finds a terminated instance for 30 days), with everything sealed that is in their rows. How many. Ends early when
 * `signal` is aborted. `batch` is a parameter for the test.
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
        returning id, name, instance_type, region, failure_code)
      insert into past_instances (id, name, instance_type, region, failure_code)
      select id, name, instance_type, region, failure_code from gone`.execute(db);
    some = Number(numAffectedRows ?? 0n);
    deleted += some;
  }
  return deleted;
}

/** At most so many a statement: each may be more than a mebibyte. */
const userDataBatch = 100;

/**
 * Deletes the user data that no instance has any more: an instance lets go of it when it is terminated (record-observation.ts).
 * A launch writes both in one transaction, so what it has is seen with its instances. How many. Ends early when `signal`
 * is aborted. `batch` is a parameter for the test.
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
