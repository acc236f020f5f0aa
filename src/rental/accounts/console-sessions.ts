// Sessions of the web console: each stands for the token that it was opened with, for one browser, for half a day.
//
// Invariant: a session is never worth more than its token. It is looked up together with it, uncached, for every request;
// so the session ends the moment the token is revoked or expires, or the account is switched off, or somebody signs out,
// on whatever server. Only the SHA-256 of its secret is stored.
//
// Used by http/auth for every request with a cookie, by http/console to sign in and out, and by a chore.

import { type RawBuilder, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { newSessionSecret } from "../../secrets/session-secret.ts";
import {
  type AuthenticatedToken,
  type AuthenticationRow,
  authenticatedToken,
  authenticationColumns,
} from "./token-store.ts";

/** Whatever is done in it, a session ends after so long. */
export const sessionHours = 12;
/** It ends before, when it was not used for so long. */
export const sessionIdleHours = 2;
/** So many are open of one token. Who signs in once more ends the one that was used longest ago. */
export const sessionsOfToken = 20;

const isOver = sql`(s.revoked_at is not null or s.expires_at <= now()
  or s.last_used_at <= now() - make_interval(hours => ${sql.lit(sessionIdleHours)}))`;

/** What a cookie turned out to be. Whether it may pass is for the caller to say, from these facts. */
export interface AuthenticatedSession extends AuthenticatedToken {
  readonly sessionId: string;
  /** At the latest. */
  readonly sessionExpiresAt: Date;
  /** Signed out, too old, or not used for too long. */
  readonly sessionOver: boolean;
}

interface SessionRow extends AuthenticationRow {
  readonly session_id: string;
  readonly session_expires_at: Date;
  readonly session_over: boolean;
}

/** The sessions with these hashes, keyed by the hash in hex; a hash without a session is missing. One query for any number. */
export async function authenticateSessions(
  db: Database,
  hashes: readonly Buffer[],
): Promise<Map<string, AuthenticatedSession>> {
  const { rows } = await sql<SessionRow>`
    select encode(s.hash, 'hex') as hash, s.id as session_id, ${isOver} as session_over,
      least(s.expires_at, t.expires_at) as session_expires_at, ${authenticationColumns}
    from console_sessions s join tokens t on t.id = s.token_id join accounts a on a.id = t.account_id
    where s.hash = any(${hashes}::bytea[])`.execute(db);
  return new Map(
    rows.map((row) => [
      row.hash,
      {
        ...authenticatedToken(row),
        sessionId: row.session_id,
        sessionExpiresAt: row.session_expires_at,
        sessionOver: row.session_over,
      },
    ]),
  );
}

/** Opens a session of this token. `secret` is its only appearance in plaintext. */
export async function beginSession(
  tx: Transaction,
  tokenId: string,
): Promise<{ readonly id: string; readonly secret: string; readonly expiresAt: Date }> {
  await sql`
    update console_sessions set revoked_at = now() where id = any(array(
      select s.id from console_sessions s where s.token_id = ${tokenId} and not ${isOver}
      order by s.last_used_at desc, s.id desc offset ${sessionsOfToken - 1}))`.execute(tx);
  const { secret, hash } = newSessionSecret();
  const id = uuidv7();
  const { rows } = await sql<{ expires_at: Date }>`
    insert into console_sessions (id, hash, token_id, expires_at)
    select ${id}, ${hash}, t.id, least(now() + make_interval(hours => ${sessionHours}), t.expires_at)
    from tokens t where t.id = ${tokenId}
    returning expires_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a session of a token that does not exist");
  return { id, secret, expiresAt: row.expires_at };
}

/** Whose a session was that was ended. */
export interface EndedSession {
  readonly id: string;
  readonly accountId: string;
  readonly tokenId: string;
}

/** Ends the session with this hash at once, on every server. Undefined: there was none to end. */
export async function endSession(tx: Transaction, hash: Buffer): Promise<EndedSession | undefined> {
  const { rows } = await sql<{ id: string; account_id: string; token_id: string }>`
    update console_sessions s set revoked_at = now() from tokens t
    where s.hash = ${hash} and t.id = s.token_id and not ${isOver}
    returning s.id, t.account_id, s.token_id`.execute(tx);
  const [row] = rows;
  return row && { id: row.id, accountId: row.account_id, tokenId: row.token_id };
}

/** The ids among these of sessions that are not over. Of their tokens this says nothing (goodTokens). */
export async function openSessions(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select s.id from console_sessions s where s.id = any(${ids}::uuid[]) and not ${isOver}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Notes that these sessions were used just now. One that another server is noting at this moment is left to it. */
export async function recordSessionUse(db: Database, ids: readonly string[]): Promise<void> {
  await sql`
    with free as (select id from console_sessions where id = any(${ids}::uuid[]) for no key update skip locked)
    update console_sessions set last_used_at = now() from free where console_sessions.id = free.id`.execute(db);
}

/** Deletes sessions that are over, and those of tokens that are. How many. */
export async function deleteOldSessions(db: Database, batch = 5_000): Promise<number> {
  const old: RawBuilder<unknown> = sql`
    select s.ctid from console_sessions s join tokens t on t.id = s.token_id
    where ${isOver} or t.revoked_at is not null or t.expires_at <= now() limit ${batch}`;
  for (let deleted = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from console_sessions where ctid = any(array(${old}))`.execute(db);
    deleted += Number(numAffectedRows);
    if (Number(numAffectedRows) < batch) return deleted;
  }
}
