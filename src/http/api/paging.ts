// `?limit=&cursor=`: everything by default; with a limit one page, and a `Link: <…>; rel="next"` while there is more. A
// cursor is the last key of the page, in base64url, so paging stays stable when entries are added or removed.
// Source: decisions "Errors, limits, headers". Used by every list of every interface.

import { Type } from "typebox";
import { invalid } from "../../rental/errors.ts";
import type { Page } from "../../rental/paging.ts";
import { parseUuid } from "../../rental/uuid.ts";
import { cursor as cursorLimit } from "./documented-limits.ts";

/** Properties for the query schema of a list. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: "Maximum number of entries. Default: all.",
      examples: [50],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      ...cursorLimit,
      description: "Cursor of the page, taken from the `Link` header of the previous page. Opaque.",
    }),
  ),
};

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** What a list is ordered by: the key of an entry, and which texts are valid keys. */
export interface Key<T> {
  readonly of: (entry: T) => string;
  readonly accepts: (text: string) => boolean;
}

export const byId: Key<{ readonly id: string }> = {
  of: (entry) => entry.id,
  accepts: (text) => parseUuid(text) === text,
};
/** For instances, whose ids are random. */
export const byLaunch: Key<{ readonly position: number }> = {
  of: (entry) => `${entry.position}`,
  accepts: (text) => /^[1-9][0-9]{0,15}$/.test(text),
};
export const byName: Key<{ readonly name: string }> = {
  of: (entry) => entry.name,
  accepts: (text) => text.length > 0 && text.isWellFormed() && !text.includes("\0"),
};

/**
 * One page of the results of `fetch`, and the cursor of the next page if there is one. `fetch` is asked for one entry
 * more than the page has, to find out. Throws RentalError invalid-parameters for a cursor not from this list.
 */
export async function takePage<T>(
  query: PageQuery,
  key: Key<T>,
  fetch: (page: Page) => Promise<readonly T[]>,
): Promise<{ entries: readonly T[]; next: string | undefined }> {
  const { limit } = query;
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, key);
  const found = await fetch({ after, limit: limit === undefined ? undefined : limit + 1 });
  if (limit === undefined || found.length <= limit) return { entries: found, next: undefined };
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  if (last === undefined) throw new Error("BUG: a page has at least one entry");
  return { entries, next: writeCursor(key.of(last)) };
}

/** The Link header to the next page: the same path and query with another cursor. `url` is the request's own. */
export function nextLink(url: string, cursor: string): string {
  const [path = "", query = ""] = url.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.set("cursor", cursor);
  return `<${path}?${parameters}>; rel="next"`;
}

/** For lists that determine the next page themselves. */
export function writeCursor(key: string): string {
  return Buffer.from(key, "utf8").toString("base64url");
}

/** The key of a cursor. Throws RentalError invalid-parameters for one that this list did not create. */
export function readCursor<T>(cursor: string, key: Key<T>): string {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  // Only the output of writeCursor is accepted: the decoder above skips invalid characters.
  if (writeCursor(text) !== cursor || !key.accepts(text)) throw invalid("cursor", "Is not a cursor of this list.");
  return text;
}
