// Reads events after a cursor, without missing any. Used by the control API, by streams, and by webhooks.
//
// Positions are assigned when an event is written, but transactions commit in another order: a reader by position alone
// could pass 5 before 4 is visible. So events are ordered by a transaction id first, `tx`, and only those before every
// running transaction are shown: later commits are always after the cursor. In return, an event can show some
// milliseconds late.
//
// `tx` is the later of two ids: of the transaction that wrote the event, and of the last one that had ended by then.
// The writer's own id alone would not keep the order of one instance's events: a batch that has locked one instance,
// and so has an id, can wait for another instance that a younger transaction has, and then write after it with the
// older id. Writers of an instance hold its lock, so the previous one has ended, and `tx` is at least that one's; if it
// is equal, position decides. And a running transaction writes no `tx` below its own id.
//
// Ids use a clock that continues when a database is moved to another cluster (database/logical-clock.ts).

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { invalid } from "../errors.ts";
import { likePatterns } from "./type-globs.ts";

export interface StoredEvent {
  readonly id: string;
  /** Continues after this event. */
  readonly cursor: string;
  /** Null: it belongs to no account. */
  readonly accountId: string | null;
  readonly type: string;
  /** The id of its subject. */
  readonly subjectId: string;
  readonly timestamp: Date;
  readonly data: unknown;
}

/** Absent fields do not filter. */
export interface EventFilter {
  /** Undefined: of all accounts. */
  readonly accountId: string | undefined;
  /** Globs (type-globs.ts); empty: all types. */
  readonly types?: readonly string[];
  readonly subjectId?: string | undefined;
}

const cursorShape = /^(\d{1,19})\.(\d{1,18})$/;

/** Before every event. */
export const firstCursor = "0.0";

/** The account's events after `after` (an earlier cursor; undefined: from the start), oldest first. */
export async function eventsAfter(
  db: Database,
  accountId: string,
  after: string | undefined,
  limit: number,
): Promise<StoredEvent[]> {
  return (await readEvents(db, { accountId }, after, limit)).events;
}

export interface EventPage {
  readonly events: StoredEvent[];
  /** Where to continue, now or later: everything up to there is in this page or did not match the filter. */
  readonly goOnAfter: string;
  /** Whether there might be more now. A page can be short or empty and have more after it. */
  readonly hasMore: boolean;
}

/** How many events are read for one page of a filtered list. */
const walkLength = 5_000;

/**
 * The matching events after `after`, oldest first. A page is cheap even if matches are rare: it reads a limited number
 * of events along an index, and returns where to continue. `walk`: for tests. Throws RentalError invalid-parameters for
 * the cursor.
 */
export async function readEvents(
  db: Database,
  filter: EventFilter,
  after: string | undefined,
  limit: number,
  walk = walkLength,
): Promise<EventPage> {
  const { tx, position } = parseCursor(after ?? firstCursor);
  const patterns = likePatterns(filter.types ?? []);
  const ofAccount = filter.accountId === undefined ? sql`` : sql`and account_id = ${filter.accountId}`;
  const ofTypes = patterns === undefined ? sql`` : sql`and type like any(${patterns}::text[])`;
  const ofSubject = filter.subjectId === undefined ? sql`` : sql`and subject_id = ${filter.subjectId}`;
  const isNarrowed = patterns !== undefined || filter.subjectId !== undefined;
  // Without a filter every event matches.
  const walkAtMost = isNarrowed ? Math.max(walk, limit) : limit;
  // The texts of ids have other names than the columns, so that it is ordered by the columns: as text 10 is before 9.
  const { rows } = await sql<EventRow | EmptyWalk>`
    with walked as materialized (
      select id, tx, position, account_id, type, subject_id, created_at, data from events
      where tx < logical_horizon() ${ofAccount} and (tx, position) > (${tx}::xid8, ${position}::bigint)
      order by tx, position limit ${walkAtMost}),
    found as (select * from walked where true ${ofTypes} ${ofSubject} order by tx, position limit ${limit}),
    walk_end as (select tx as end_tx, position as end_position, (select count(*)::integer from walked) as walked
      from walked order by tx desc, position desc limit 1)
    select id, tx::text as tx_text, position, account_id, type, subject_id, created_at, data,
      end_tx::text as end_tx_text, end_position, walked
    from walk_end left join found on true order by tx, position`.execute(db);
  const events = rows.filter((row): row is EventRow => row.id !== null).map(fromRow);
  const [end] = rows;
  if (end === undefined) return { events, goOnAfter: after ?? firstCursor, hasMore: false };
  const [last] = events.slice(limit - 1);
  if (last !== undefined) return { events, goOnAfter: last.cursor, hasMore: true };
  return { events, goOnAfter: `${end.end_tx_text}.${end.end_position}`, hasMore: end.walked === walkAtMost };
}

interface WalkEnd {
  end_tx_text: string;
  end_position: number;
  walked: number;
}

interface EmptyWalk extends WalkEnd {
  id: null;
}

interface EventRow extends WalkEnd {
  id: string;
  tx_text: string;
  position: number;
  account_id: string | null;
  type: string;
  subject_id: string;
  created_at: Date;
  data: unknown;
}

function fromRow(row: EventRow): StoredEvent {
  return {
    id: row.id,
    cursor: `${row.tx_text}.${row.position}`,
    accountId: row.account_id,
    type: row.type,
    subjectId: row.subject_id,
    timestamp: row.created_at,
    data: row.data,
  };
}

/**
 * The cursor after everything readable now: later events come after it. This holds after a database crash too:
 * transaction ids that were not written to disk would be reused, so one that is not older than the cursor is written
 * before the cursor is returned.
 */
export async function cursorNow(db: Database): Promise<string> {
  const { rows } = await sql<{ tx: string }>`
    select logical_horizon()::text as tx, pg_logical_emit_message(true, 'lessor', '') as written`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a select without a row");
  return `${row.tx}.0`;
}

/** Negative: `a` is before `b`. */
export function compareCursors(a: string, b: string): number {
  const [left, right] = [parseCursor(a), parseCursor(b)];
  const difference = BigInt(left.tx) - BigInt(right.tx) || BigInt(left.position) - BigInt(right.position);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The two columns that order events. Throws RentalError invalid-parameters for an invalid cursor. */
export function parseCursor(cursor: string): { readonly tx: string; readonly position: string } {
  const [, tx, position] = cursorShape.exec(cursor) ?? [];
  if (tx === undefined || position === undefined) throw invalid("cursor", "Use a cursor from a previous response.");
  return { tx, position };
}
