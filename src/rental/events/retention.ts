// Lets go of old events. Used by a chore (reconciler/maintenance).
//
// They go in the order in which they are read (event-store.ts), oldest first, along the index that is there for readers;
// so a reader whose cursor is older than what is kept goes on with the oldest that is. Three things are kept longer:
//
//   - What an active webhook has still to be told: its cursor may stand while its target is out or slow
//     (reconciler/deliveries). For 30 days more at most, so that nobody's target makes the table grow without bound.
//   - The newest of all: by it a start notices that the database was brought into another cluster, whose transactions
//     are counted anew (database/logical-clock.ts).
//   - What is younger than the days in the order of reading lies behind something that is not: for a moment.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { firstCursor, parseCursor } from "./event-store.ts";

/** How much longer an event waits for a webhook; as long as the log of its deliveries goes back. */
const forWebhooksDays = 30;
/** So many are looked at by a statement, so that none holds locks for long. */
const ordinaryBatch = 5_000;

/** Deletes events older than so many days. How many. Ends early when `signal` is aborted. `batch` is for the test. */
export async function deleteOldEvents(
  db: Database,
  days: number,
  signal: AbortSignal,
  batch = ordinaryBatch,
): Promise<number> {
  let deleted = 0;
  for (let after: string | undefined = firstCursor; after !== undefined && !signal.aborted; ) {
    const some: Batch = await deleteSome(db, days, after, batch);
    deleted += some.deleted;
    after = some.goOnAfter;
  }
  return deleted;
}

interface Batch {
  readonly deleted: number;
  /** Undefined: what comes is too young, or there is nothing more. */
  readonly goOnAfter: string | undefined;
}

async function deleteSome(db: Database, days: number, after: string, batch: number): Promise<Batch> {
  const { tx, position } = parseCursor(after);
  const { rows } = await sql<{ deleted: number; walked: number; young: boolean; tx: string; position: number }>`
    with walked as materialized (
      select ctid as place, tx, position, account_id, created_at, created_at >= now() - make_interval(days => ${days}) as young
      from events
      where (tx, position) > (${tx}::xid8, ${position}::bigint)
        and (tx, position) < (select tx, position from events order by tx desc, position desc limit 1)
      order by tx, position limit ${batch}),
    waiting as (
      select w.place from walked w
      join webhooks on webhooks.account_id = w.account_id and webhooks.active
        and (webhooks.cursor_tx, webhooks.cursor_position) < (w.tx, w.position)
      where w.created_at >= now() - make_interval(days => ${days + forWebhooksDays})),
    gone as (
      delete from events where ctid = any(array(
        select place from walked where not young and place not in (select place from waiting)))
      returning 1)
    select (select count(*) from gone) as deleted, (select count(*) from walked) as walked,
      (select bool_or(young) from walked) as young, tx::text as tx, position
    from walked order by walked.tx desc, walked.position desc limit 1`.execute(db);
  const [end] = rows;
  if (end === undefined) return { deleted: 0, goOnAfter: undefined };
  const isOver = end.young || end.walked < batch;
  return { deleted: end.deleted, goOnAfter: isOver ? undefined : `${end.tx}.${end.position}` };
}
