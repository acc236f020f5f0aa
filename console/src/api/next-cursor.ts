// Where the next page of a list is: the cursor in the Link header of an answer (RFC 8288). Pure; used by pages-query.ts.

/** The cursor of the page after this one; undefined: it was the last. */
export function nextCursor(link: string | null): string | undefined {
  for (const [, address = "", parameters = ""] of (link ?? "").matchAll(/<([^>]*)>([^,<]*)/g)) {
    if (!/;\s*rel="?next"?(\s*;|\s*$)/.test(parameters)) continue;
    // The address may be a path.
    return new URL(address, "http://page").searchParams.get("cursor") ?? undefined;
  }
  return undefined;
}
