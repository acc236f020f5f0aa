// Whether tokens that were let in once are good still: for answers that go on for long (streams), which the gate saw only
// at their beginning. Nothing is cached, so who asks every second ends within a second of the revocation, on whatever
// server it was made. Ask for all streams of a server at once: it is one query for any number.

import type { Database } from "../../database/connect.ts";
import { goodTokens } from "../../rental/accounts/index.ts";

/** The token ids among these that the gate would let in now: neither revoked nor expired, of an account that is active. */
export function stillGood(db: Database, tokenIds: Iterable<string>): Promise<ReadonlySet<string>> {
  return goodTokens(db, [...new Set(tokenIds)]);
}
