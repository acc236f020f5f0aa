// Which hosts a selector of labels means, in SQL and in memory. Used by lists of hosts and by placement; a property test
// compares both.

import { type RawBuilder, sql } from "kysely";
import type { WantedTag } from "../instances/tags.ts";

/** Several labels, all of which a host must have. */
export type HostSelector = readonly WantedTag[];

/** `labels`: the column, such as `h.labels`. True for a selector without labels. */
export function hasLabels(labels: RawBuilder<unknown>, selector: HostSelector): RawBuilder<boolean> {
  const wanted = selector.map(({ key, value }) =>
    value === undefined ? sql`${labels} ? ${key}` : sql`${labels} @> ${JSON.stringify({ [key]: value })}::jsonb`,
  );
  return wanted.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(wanted, sql` and `)})`;
}

/** The same for the labels of a host. */
export function fitsSelector(labels: Readonly<Record<string, string>>, selector: HostSelector): boolean {
  return selector.every(({ key, value }) =>
    value === undefined ? Object.hasOwn(labels, key) : Object.hasOwn(labels, key) && labels[key] === value,
  );
}
