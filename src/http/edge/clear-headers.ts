// Headers that must be unambiguous: HTTP/1.1 requires one Host header (RFC 9112, section 3.2), and a request has one
// token. Node takes the first of several and drops the others, so a proxy in front may have read another one: the host
// and the token of a request must not depend on the reader. Used by server.ts for every request, and by
// cached/fast-path.ts, which passes ambiguous requests on.

import type { IncomingMessage } from "node:http";

/** What is wrong with them, as a sentence; undefined if nothing is. */
export function unclearHeaders({ rawHeaders, headers, httpVersion }: HeadersOf): string | undefined {
  if (headers.host === undefined && httpVersion === "1.1") return "it has no Host header, which HTTP/1.1 requires.";
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = onlyOne[rawHeaders[at]?.length ?? 0];
    if (name === undefined || rawHeaders[at]?.toLowerCase() !== name.key) continue;
    if (rawHeaders[at + 1] !== headers[name.key]) return `it has two different ${name.shown} headers.`;
  }
  return undefined;
}

type HeadersOf = Pick<IncomingMessage, "rawHeaders" | "headers" | "httpVersion">;

/** By the length of their names, so that checking other headers costs next to nothing. */
const onlyOne: Readonly<Partial<Record<number, { readonly key: "host" | "authorization"; readonly shown: string }>>> = {
  4: { key: "host", shown: "Host" },
  13: { key: "authorization", shown: "Authorization" },
};
