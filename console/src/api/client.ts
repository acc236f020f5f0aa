// The console's way to the control API: the typed client with the session's cookie. The header is what the service asks of
// requests that a cookie authenticates; another site cannot send it. Used by queries.ts and by pages that change things.

import openapiFetch from "openapi-fetch";
import type { LessorClient, paths } from "../../../src/client/index.ts";

/** Sent with every request but the event stream and the terminal. */
export const consoleHeaders = { "X-Lessor-Console": "1" } as const;

/** What to do when an answer says that there is no session (any more). */
type SignedOut = () => void;

/**
 * A client of the control API at `controlUrl` (an address or a path on this origin), with the session of the browser.
 * `signedOut` is called for each answer that says 401.
 */
export function consoleClient(controlUrl: string, signedOut: SignedOut): LessorClient {
  return openapiFetch<paths>({
    baseUrl: new URL(controlUrl, window.location.origin).href,
    headers: consoleHeaders,
    credentials: "same-origin",
    fetch: async (request) => {
      const response = await fetch(request);
      if (response.status === 401) signedOut();
      return response;
    },
  });
}
