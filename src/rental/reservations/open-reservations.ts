// Which reservations that are not over keep a host or a region from being changed, as rejections name them. Used by
// capacity/host-changes.ts and catalog/region-store.ts.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";

/** More than these are only counted. */
const mostNamed = 3;

/** Those that are not over and meet the condition on `reservations r`, for people; undefined: none. */
export async function reservationsWith(db: Database, condition: RawBuilder<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ id: string; all: string }>`
    select r.id, count(*) over () as all from reservations r where r.ended_at is null and ${condition}
    order by r.id limit ${mostNamed}`.execute(db);
  const [first] = rows;
  if (first === undefined) return undefined;
  const ids = rows.map(({ id }) => id).join(", ");
  if (Number(first.all) > rows.length) return `${first.all} reservations, such as ${ids}`;
  return rows.length === 1 ? `the reservation ${ids}` : `the reservations ${ids}`;
}
