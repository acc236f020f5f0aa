// Whether a request with the console's cookie comes from the console: from a page of this origin, not from another site
// that makes a browser send it. SameSite=Strict stops other sites already, but does not suffice: another host of the
// same domain is the same site.
//
// Requests carry a header that only scripts can set, and scripts of another origin only after a preflight, which fails.
// Scripts cannot set headers of an EventSource, which always states what it accepts, or of a WebSocket, which always
// states the origin of its page.

import type { IncomingHttpHeaders } from "node:http";
import { isOwn, type OwnOrigin } from "../edge/own-origin.ts";

/** What a cookie is used for. */
export type CookieUse = "request" | "stream" | "socket";

export const consoleHeader = "x-lessor-console";
/** The account that the page shows. */
export const accountHeader = "x-lessor-account";

/** Whether the cookie of such a request counts. */
export function isFromConsole(headers: IncomingHttpHeaders, use: CookieUse, own: OwnOrigin): boolean {
  const { origin, accept = "", "sec-fetch-site": site } = headers;
  if (site !== undefined && site !== "same-origin") return false;
  if (origin !== undefined && !isOwn(origin, own)) return false;
  if (use === "socket") return origin !== undefined;
  return headers[consoleHeader] === "1" || (use === "stream" && accept.includes("text/event-stream"));
}
