// Reads very many small rows without blocking: page by page, with the event loop free between two pages. Used by full
// resyncs, which read everything.
//
// A page is read in groups: values common to many rows are sent once, with their ids as one text. Single rows cost
// PostgreSQL and us five times as much, and memory that V8 keeps (bench/RESULTS.md, `sweep`).

import { type RawBuilder, sql } from "kysely";
import type { Database } from "./connect.ts";

/** Rows that differ only in their ids, and in columns that are aggregated beside them in the same order. */
export interface Group {
  /** Comma-separated, in any order: `joinedIds`. */
  readonly ids: string;
}

/** The aggregate that `Group.ids` is. `id`: a column of UUIDs. */
export const joinedIds = (id: RawBuilder<unknown>): RawBuilder<string> => sql`string_agg(${id}::text, ',')`;

export function idsOf({ ids }: Group): string[] {
  return ids.split(",");
}

/** Of small rows, a few milliseconds of work. */
const rowsOfPage = 5000;

/** Below every id, so that no statement needs a case for the first page. */
const lowest = "00000000-0000-0000-0000-000000000000";

const idLength = lowest.length;

/**
 * All rows, each once, by id. `page` is the query for rows with an id above this one, ordered by id, up to this limit,
 * in groups. The pages have different snapshots. The next page is read while one is used.
 */
export async function* readInPages<Row extends Group>(
  db: Pick<Database, "getExecutor">,
  page: (above: string, limit: number) => RawBuilder<Row>,
  limit = rowsOfPage,
): AsyncGenerator<readonly Row[]> {
  const read = (above: string) => page(above, limit).execute(db);
  let next = read(lowest);
  for (;;) {
    const groups = (await next).rows;
    const isLast = groups.reduce((sum, { ids }) => sum + (ids.length + 1) / (idLength + 1), 0) < limit;
    if (!isLast) {
      next = read(highest(groups));
      // The consumer of the page may throw before this is awaited.
      next.catch(() => {});
    }
    if (groups.length > 0) yield groups;
    if (isLast) return;
  }
}

/** PostgreSQL's text form of UUIDs sorts like the UUIDs. */
function highest(groups: readonly Group[]): string {
  let found = lowest;
  for (const { ids } of groups) {
    for (let from = 0; from < ids.length; from += idLength + 1) {
      const id = ids.slice(from, from + idLength);
      if (id > found) found = id;
    }
  }
  return found;
}
