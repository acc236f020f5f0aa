// Conditional GETs: a strong ETag of the body's bytes on every 200, and 304 without a body if the client has them
// already. RFC 9110, sections 8.8.3 and 13.1.2.

import { createHash } from "node:crypto";

/** The Cache-Control of every read: cache it, and revalidate it each time. */
export const readCaching = "private, no-cache";

export function etagOf(body: string | Buffer): string {
  return `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
}

/** Whether If-None-Match names this tag: a list or `*`, compared weakly, so that `W/"x"` matches `"x"`. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const tags = ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => tag.replace(/^W\//, "") === etag);
}
