// Reads very many small rows without standing in anybody's way: page by page, and between two pages the event loop does
// what else there is. Used by sweeps, which read everything.
//
// Of a page come groups: what is the same for many rows comes once, and their ids as one text. A row by itself costs
// PostgreSQL and us five times as much, and memory that V8 keeps (bench/RESULTS.md, `sweep`).

import { type RawBuilder, sql } from "kysely";
import type { Database } from "./connect.ts";

/** Rows that differ only in their ids, and in columns that are gathered beside them in the same order. */
export interface Group {
  /** With commas between them, in any order: `joinedIds`. */
  readonly ids: string;
}

/** The aggregate that `Group.ids` is. `id`: a column of UUIDs. */
export const joinedIds = (id: RawBuilder<unknown>): RawBuilder<string> => sql`string_agg(${id}::text, ',')`;

export function idsOf({ ids }: Group): string[] {
  return ids.split(",");
}

/** Of small rows, a few milliseconds of work. */
const rowsOfPage = 5000;

/** Below every id there is, so that no statement has to ask whether there is an id to begin after. */
const lowest = "00000000-0000-0000-0000-000000000000";

const idLength = lowest.length;

/**
 * All rows, each once, by id. `page` is the query for those with an id above this one, in order of id, so many at most,
 * in groups. The pages are not of one moment. While one is used the next is on its way.
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
      // Whoever uses the page may throw before this is awaited.
      next.catch(() => {});
    }
    if (groups.length > 0) yield groups;
    if (isLast) return;
  }
}

/** UUIDs as PostgreSQL writes them are in the order of their text. */
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
