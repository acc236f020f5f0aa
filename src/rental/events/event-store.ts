// Reading events after a cursor, without ever missing one. Used by the control API.
//
// Positions are given out when an event is written, but transactions commit in another order: a reader that went by
// position alone could pass 5 before 4 is visible. So events are ordered by a transaction id first, `tx`, and only those
// before every transaction still running are shown: whatever will still commit never lies behind the cursor, always
// ahead of it. The price is that an event may show some milliseconds late.
//
// `tx` is the later of two ids: of the transaction that wrote the event, and of the last one that had ended by then.
// The writer's own would do for not missing any, but not for the order of what happens to one instance: a batch that has
// locked one instance, and its id with it, may wait for another that a younger transaction has, and then writes after it
// with the older id. Whoever writes of an instance holds its lock, so the one before it has ended, and `tx` is at least
// that one's; where it is the same, position decides. And a transaction still running writes no `tx` below its own id.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { invalid } from "../errors.ts";

export interface StoredEvent {
  readonly id: string;
  /** Goes on after this event. */
  readonly cursor: string;
  readonly type: string;
  readonly timestamp: Date;
  readonly data: unknown;
}

const cursorShape = /^(\d{1,19})\.(\d{1,18})$/;

/** The account's events after `after` (a cursor from before; undefined: from the start), oldest first. */
export async function eventsAfter(
  db: Database,
  accountId: string,
  after: string | undefined,
  limit: number,
): Promise<StoredEvent[]> {
  const [tx, position] = parseCursor(after);
  const { rows } = await sql<{
    id: string;
    tx: string;
    position: number;
    type: string;
    created_at: Date;
    data: unknown;
  }>`
    select id, tx::text as tx, position, type, created_at, data from events
    where account_id = ${accountId}
      and tx < pg_snapshot_xmin(pg_current_snapshot())
      and (tx, position) > (${tx}::xid8, ${position}::bigint)
    order by events.tx, events.position -- a bare tx would be the text of the select list, where 10 comes before 9
    limit ${limit}`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    cursor: `${row.tx}.${row.position}`,
    type: row.type,
    timestamp: row.created_at,
    data: row.data,
  }));
}

function parseCursor(cursor: string | undefined): [tx: string, position: string] {
  if (cursor === undefined) return ["0", "0"];
  const [, tx, position] = cursorShape.exec(cursor) ?? [];
  if (tx === undefined || position === undefined) throw invalid("cursor", "Give a cursor as a former answer had it.");
  return [tx, position];
}
