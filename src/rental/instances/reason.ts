// The stated reason for stopping, rebooting or terminating an instance. Its account reads it in the event and in the
// audit log, and webhooks send it out: so it is one line and contains no secret of this service. Used by change-one.ts
// and by the schema of the control interface.

import { holdsSecret } from "../holds-secret.ts";

/** In characters (code points). */
export const longestReason = 300;

/** What is wrong with a reason, in a sentence; undefined: nothing. */
export function checkReason(reason: string): string | undefined {
  const length = Array.from(reason).length;
  if (reason.trim() === "" || length > longestReason) return `Give a reason of 1 to ${longestReason} characters.`;
  if (/\p{Cc}/u.test(reason)) return "Give it in one line, without control characters.";
  if (holdsSecret(reason)) return "It must not contain a token or a signing secret, because others read it.";
  return undefined;
}
