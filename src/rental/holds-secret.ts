// Whether a text that is kept in the clear (a log line, the audit log) holds a secret of ours that strayed into it. Our
// secrets begin with fixed words, and are found wherever in the text they stand. Used by http/edge/request-id.ts,
// http/api/audit-objects.ts, instances/reason.ts.

import { tokenPrefix } from "../secrets/token.ts";
import { secretPrefix } from "./webhooks/secret.ts";

const prefixes = [tokenPrefix, secretPrefix];

/** True for a text with an API token or a webhook's signing secret in it, or the beginning of one. */
export function holdsSecret(text: string): boolean {
  return prefixes.some((prefix) => text.includes(prefix));
}
