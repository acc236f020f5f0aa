// Whether who was let in once is let in still: for answers that go on for long (streams, terminals), which the gate saw only
// at their beginning. Nothing is cached, so who asks every second ends within a second of the revocation, on whatever
// server it was made. Ask for all that a server has at once: it is one query for any number of tokens, and one of sessions.

import type { Database } from "../../database/connect.ts";
import { openSessions } from "../../rental/accounts/console-sessions.ts";
import { goodTokens } from "../../rental/accounts/token-store.ts";

/** Who let a request in: a token, and where a browser's cookie brought it, the console's session. */
export interface Holder {
  readonly tokenId: string;
  readonly sessionId: string | null;
}

/**
 * Tells of each of these whether the gate would let it in now: its token neither revoked nor expired, of an account that is
 * active, and its session not over.
 */
export async function revalidateAccess(db: Database, holders: readonly Holder[]): Promise<(holder: Holder) => boolean> {
  const tokenIds = new Set(holders.map(({ tokenId }) => tokenId));
  const sessionIds = new Set(holders.flatMap(({ sessionId }) => sessionId ?? []));
  const [tokens, sessions] = await Promise.all([goodTokens(db, [...tokenIds]), openSessions(db, [...sessionIds])]);
  return ({ tokenId, sessionId }) => tokens.has(tokenId) && (sessionId === null || sessions.has(sessionId));
}
