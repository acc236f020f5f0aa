// Requests an action on an instance. Operators, who act on instances of any account, give a reason.

import { type Answered, type LessorClient, LessorError, type Shape } from "../../../src/client/client.ts";
import type { InstanceAction as Action } from "../../../src/rules/lifecycle.ts";
import { randomKey } from "../launch/attempt.ts";

/** The reads that an action invalidates, by the first words of their keys. */
export const touchedByAction: readonly string[] = [
  "instances",
  "account",
  "accounts",
  "offers",
  "quote",
  "events",
  "hosts",
];

/**
 * Sends one request: each call has an Idempotency-Key of its own. `reason`: of an operator, 1 to 300 characters in one line, which
 * the event and the audit log state. Resolves with the response, also with a rejection.
 */
export function act(
  client: LessorClient,
  action: Action,
  id: string,
  reason?: string,
): Promise<Answered<{ data: Shape<"Instance"> }>> {
  const params = { path: { id }, header: { "Idempotency-Key": randomKey() } };
  const options = { params, ...(reason === undefined ? {} : { body: { reason } }) };
  if (action === "stop") return client.POST("/instances/{id}/stop", options);
  if (action === "restart") return client.POST("/instances/{id}/restart", options);
  if (action === "reboot") return client.POST("/instances/{id}/reboot", options);
  return client.POST("/instances/{id}/terminate", options);
}

/** The cause and the fix, in a sentence or two. */
export function rejection(error: unknown): string {
  return error instanceof LessorError
    ? `${error.message} ${error.suggestion}`
    : "The service can't be reached. Check your connection and try again.";
}
