// Whether a text that is stored in plaintext (a log line, the audit log) contains one of our secrets, which have fixed
// prefixes. Used by http/edge/request-id.ts, http/api/audit-objects.ts, instances/reason.ts.

import { tokenPrefix } from "../secrets/token.ts";
import { secretPrefix } from "./webhooks/secret.ts";

const prefixes = [tokenPrefix, secretPrefix];

/** True for a text with an API token or a webhook's signing secret, or the beginning of one. */
export function holdsSecret(text: string): boolean {
  return prefixes.some((prefix) => text.includes(prefix));
}
