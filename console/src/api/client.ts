// The typed client of the control API with the session's cookie. The service requires the header on requests that a cookie
// authenticates, because another site cannot send it.

import openapiFetch from "openapi-fetch";
import type { LessorClient } from "../../../src/client/client.ts";
import type { paths } from "../../../src/client/control-api.ts";

/** Sent with every request but the event stream and the terminal. */
export const consoleHeaders = { "X-Lessor-Console": "1" } as const;

/** Called when a response says that there is no session, or one of another account. */
type SignedOut = () => void;

/**
 * A client of the control API at `controlUrl` (an address or a path on this origin), with the session of the browser, for
 * as long as it acts in this account: another window may switch it to another team.
 * `signedOut` is called for each response with status 401.
 */
export function consoleClient(controlUrl: string, accountId: string, signedOut: SignedOut): LessorClient {
  return openapiFetch<paths>({
    baseUrl: new URL(controlUrl, window.location.origin).href,
    headers: { ...consoleHeaders, "X-Lessor-Account": accountId },
    credentials: "same-origin",
    fetch: async (request) => {
      const response = await fetch(request);
      if (response.status === 401) signedOut();
      return response;
    },
  });
}
