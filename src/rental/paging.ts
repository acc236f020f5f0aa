// How lists of the rental are paged: ordered by one unique column, after the last one seen. Ids are UUID v7, so their order
// is the order of creation. Those of instances are random: they have a `position`.

import type { ReferenceExpression, SelectQueryBuilder } from "kysely";
import type { Schema } from "../database/schema.ts";

/**
 * `after`: the last id (of instances: position) already seen; `limit`: the maximum. Both absent: everything. Ascending
 * unless `descending`.
 */
export interface Page {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
  readonly descending?: boolean | undefined;
}

export const everything: Page = {};

/** Orders `query` by `column` and selects the page. */
export function pageOf<T extends keyof Schema, O>(
  query: SelectQueryBuilder<Schema, T, O>,
  column: ReferenceExpression<Schema, T> & string,
  page: Page,
): SelectQueryBuilder<Schema, T, O> {
  const isDescending = page.descending === true;
  let paged = query.orderBy(column, isDescending ? "desc" : "asc");
  if (page.after !== undefined) paged = paged.where(column, isDescending ? "<" : ">", page.after as never);
  if (page.limit !== undefined) paged = paged.limit(page.limit);
  return paged;
}
