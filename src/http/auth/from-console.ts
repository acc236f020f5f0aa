// Whether a request that brings the console's cookie comes from the console: from a page of this very origin, and not from
// another site that has a browser send it. SameSite=Strict keeps other sites away already; this does not rely on it, for
// another host of the same domain is no other site.
//
// A request carries a header that only scripts can set, and those of another origin only after a preflight that nobody
// answers. Two things a script cannot give a header: an EventSource, which always says what it accepts, and a WebSocket,
// which always says where its page is from.

import type { IncomingHttpHeaders } from "node:http";
import { isOwn, type OwnOrigin } from "../edge/own-origin.ts";

/** What a cookie is brought for. */
export type CookieUse = "request" | "stream" | "socket";

export const consoleHeader = "x-lessor-console";

/** Whether the cookie of such a request counts. */
export function isFromConsole(headers: IncomingHttpHeaders, use: CookieUse, own: OwnOrigin): boolean {
  const { origin, accept = "", "sec-fetch-site": site } = headers;
  if (site !== undefined && site !== "same-origin") return false;
  if (origin !== undefined && !isOwn(origin, own)) return false;
  if (use === "socket") return origin !== undefined;
  return headers[consoleHeader] === "1" || (use === "stream" && accept.includes("text/event-stream"));
}
