// Deletes expired events. Used by a maintenance job (reconciler/maintenance).
//
// They are deleted in reading order (event-store.ts), oldest first, along the readers' index; a reader with an older
// cursor continues with the oldest remaining event. Three kinds are kept longer:
//
// - Events that an active webhook has not read: its cursor can stop while its target is unavailable or slow
// (reconciler/deliveries). For 30 more days at most, so that no target makes the table grow without limit.
//
// - The newest event: with it a start detects that the database was moved to another cluster, whose transaction ids
// start again (database/logical-clock.ts).
//
// - Expired events that come after an unexpired one in reading order: for a moment.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { firstCursor, parseCursor } from "./event-store.ts";

/** How much longer an event is kept for a webhook; as long as its delivery log. */
const forWebhooksDays = 30;
/** Limits how long one statement holds locks. */
const ordinaryBatch = 5_000;

/** Deletes events older than this many days. Returns how many. Ends early when `signal` is aborted. `batch`: for tests. */
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
  /** Undefined: later events are too young, or there are none. */
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
