// Headers that have to be clear: HTTP/1.1 says which host is asked (RFC 9112, section 3.2), and a request is for one host
// and of one token. Node takes the first of several and drops the others, so a proxy in front may have looked at another
// one than we do: for which host, and whose a request is, must not depend on who reads it.
// Used by server.ts for every request, and by cached/fast-path.ts, which hands on what is not clear.

import type { IncomingMessage } from "node:http";

/** What is wrong with them, as a sentence; undefined: nothing. */
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

/** By the length of their names, so that the others cost next to nothing. */
const onlyOne: Readonly<Partial<Record<number, { readonly key: "host" | "authorization"; readonly shown: string }>>> = {
  4: { key: "host", shown: "Host" },
  13: { key: "authorization", shown: "Authorization" },
};
