// Reading events after a cursor, without ever missing one. Used by the control API.
//
// Positions are given out when an event is written, but transactions commit in another order: a reader that went by
// position alone could pass 5 before 4 is visible. So events are ordered by the transaction that wrote them, and only
// transactions older than every one still running are shown: whatever will still commit lies behind the cursor's back
// never, ahead of it always. The price is that an event may show some milliseconds late.

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
    order by tx, position
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
