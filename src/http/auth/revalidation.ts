// Whether a caller is still authorized, for long responses (streams, terminals), which are authorized only at their
// beginning. Nothing is cached, so with a check every second they end within a second of the revocation, on whatever
// replica it was made. Check all of a replica's holders at once: that is one query for tokens and one for sessions.

import type { Database } from "../../database/connect.ts";
import { openSessions } from "../../rental/accounts/console-sessions.ts";
import { goodTokens } from "../../rental/accounts/token-store.ts";
import { type Right, teamMay } from "../../rules/roles.ts";

/** Who sent a request: a token, and where a browser's cookie carried it, the console's session. */
export interface Holder {
  readonly tokenId: string;
  readonly sessionId: string | null;
  /** What it needs of the person's role. */
  readonly right: Right;
}

/**
 * Returns whether each of these would be authorized now: its token neither revoked nor expired, its account active, the
 * role of its person with the right, and its session open and still in the team of that token.
 */
export async function revalidateAccess(db: Database, holders: readonly Holder[]): Promise<(holder: Holder) => boolean> {
  const tokenIds = new Set(holders.map(({ tokenId }) => tokenId));
  const sessionIds = new Set(holders.flatMap(({ sessionId }) => sessionId ?? []));
  const [tokens, sessions] = await Promise.all([goodTokens(db, [...tokenIds]), openSessions(db, [...sessionIds])]);
  return ({ tokenId, sessionId, right }) => {
    const role = tokens.get(tokenId);
    return role !== undefined && teamMay(role, right) && (sessionId === null || sessions.get(sessionId) === tokenId);
  };
}
