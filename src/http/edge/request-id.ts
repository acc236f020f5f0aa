// Every request has an id: the client's own where it is harmless, else a new one. It is in the header X-Request-Id of
// every response, in every error body, and in the log.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { holdsSecret } from "../../rental/holds-secret.ts";

const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

export function requestIdOf(request: Pick<IncomingMessage, "headers">): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && isHarmless(given) ? given : randomUUID();
}

/** A secret sent as an id, or within one, by mistake must not get into the log. */
function isHarmless(id: string): boolean {
  return acceptable.test(id) && !holdsSecret(id);
}
