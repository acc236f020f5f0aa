// Sessions of the web console: each stands for the token that opened it, for one browser, for half a day.
//
// Invariant: a session has no more access than its token. Both are read together, uncached, for every request; so it
// ends at once on every replica when the token is revoked or expires, the account is deactivated, or the user signs
// out. Only the SHA-256 of its secret is stored. The session of a person who signed in acts with the token of the team that
// was chosen last (../people/sessions.ts).
//
// Used by http/auth for every request with a cookie, by http/console to sign in and out, and by a maintenance job.

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

/** The maximum lifetime of a session. */
export const sessionHours = 12;
/** A session expires earlier if it was not used for this long. */
export const sessionIdleHours = 2;
/** The maximum number of open sessions per token. One more replaces the least recently used. */
export const sessionsOfToken = 20;

/** Whether the session `s` is signed out, expired or idle. */
export const isOver = sql<boolean>`(s.revoked_at is not null or s.expires_at <= now()
  or s.last_used_at <= now() - make_interval(hours => ${sql.lit(sessionIdleHours)}))`;

/** The session and token of a cookie. The caller decides about access. */
export interface AuthenticatedSession extends AuthenticatedToken {
  readonly sessionId: string;
  /** The latest time. */
  readonly sessionExpiresAt: Date;
  /** Signed out, expired or idle. */
  readonly sessionOver: boolean;
}

interface SessionRow extends AuthenticationRow {
  readonly session_id: string;
  readonly session_expires_at: Date;
  readonly session_over: boolean;
}

/** The sessions with these hashes, keyed by the hash in hex; unknown hashes are missing. One query for any number. */
export async function authenticateSessions(
  db: Database,
  hashes: readonly Buffer[],
): Promise<Map<string, AuthenticatedSession>> {
  const { rows } = await sql<SessionRow>`
    select encode(s.hash, 'hex') as hash, s.id as session_id, ${isOver} as session_over,
      least(s.expires_at, t.expires_at) as session_expires_at, ${authenticationColumns}
    from console_sessions s join tokens t on t.id = s.token_id
    where s.hash = any(${hashes}::bytea[])`.execute(db);
  return new Map(
    rows.map((row) => [
      row.hash,
      {
        ...sessionToken(row),
        sessionId: row.session_id,
        sessionExpiresAt: row.session_expires_at,
        sessionOver: row.session_over,
      },
    ]),
  );
}

function sessionToken(row: SessionRow): AuthenticatedToken {
  const token = authenticatedToken(row);
  return { ...token, principal: { ...token.principal, sessionId: row.session_id } };
}

/** What a person signed in with; neither: a token. */
export interface SignedInBy {
  /** The address that was proved, in lower case. */
  readonly byEmail?: string;
  /** The id of a provider. */
  readonly provider?: string;
  /** How long the session lasts at most. Undefined: as all sessions. */
  readonly minutes?: number;
}

/** How a session is opened. */
export interface Opening extends SignedInBy {
  /** Of the client. */
  readonly address: string | null;
  readonly userAgent: string | undefined;
}

/** Characters of a User-Agent that are kept. */
const keptUserAgent = 200;

/** Opens a session of this token. `secret` is returned only here. */
export async function beginSession(
  tx: Transaction,
  tokenId: string,
  { byEmail, provider, minutes = sessionHours * 60, address, userAgent }: Opening = {
    address: null,
    userAgent: undefined,
  },
): Promise<{ readonly id: string; readonly secret: string; readonly expiresAt: Date }> {
  await sql`
    update console_sessions set revoked_at = now() where id = any(array(
      select s.id from console_sessions s where s.token_id = ${tokenId} and not ${isOver}
      order by s.last_used_at desc, s.id desc offset ${sessionsOfToken - 1}))`.execute(tx);
  const { secret, hash } = newSessionSecret();
  const id = uuidv7();
  const { rows } = await sql<{ expires_at: Date }>`
    insert into console_sessions (id, hash, token_id, by_email, provider, address, user_agent, expires_at)
    select ${id}, ${hash}, t.id, ${byEmail ?? null}, ${provider ?? null}, ${address}, ${userAgent?.slice(0, keptUserAgent) ?? null}, least(now() + make_interval(mins => ${minutes}), t.expires_at)
    from tokens t where t.id = ${tokenId}
    returning expires_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a session of a token that does not exist");
  return { id, secret, expiresAt: row.expires_at };
}

/** The owner of an ended session. */
export interface EndedSession {
  readonly id: string;
  readonly accountId: string;
  readonly tokenId: string;
  /** The id of the provider that the person signed in with. */
  readonly provider?: string | null;
}

/** Ends the session with this hash at once, on every replica. Undefined: no open session has it. */
export async function endSession(tx: Transaction, hash: Buffer): Promise<EndedSession | undefined> {
  const { rows } = await sql<{ id: string; account_id: string; token_id: string; provider: string | null }>`
    update console_sessions s set revoked_at = now() from tokens t
    where s.hash = ${hash} and t.id = s.token_id and not ${isOver}
    returning s.id, t.account_id, s.token_id, s.provider`.execute(tx);
  const [row] = rows;
  return row && { id: row.id, accountId: row.account_id, tokenId: row.token_id, provider: row.provider };
}

/** The open sessions among these, by id, each with the token that it acts with. Tokens are checked by goodTokens. */
export async function openSessions(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; token_id: string }>`
    select s.id, s.token_id from console_sessions s where s.id = any(${ids}::uuid[]) and not ${isOver}`.execute(db);
  return new Map(rows.map(({ id, token_id }) => [id, token_id]));
}

/** Records that these sessions were used now. Skips those that another replica is recording. */
export async function recordSessionUse(db: Database, ids: readonly string[]): Promise<void> {
  await sql`
    with free as (select id from console_sessions where id = any(${ids}::uuid[]) for no key update skip locked)
    update console_sessions set last_used_at = now() from free where console_sessions.id = free.id`.execute(db);
}

/** Deletes ended sessions, and those of revoked or expired tokens. Returns how many. */
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
