// The sessions of a person: where the person is signed in to the console. Listing and ending them, and choosing the team in
// which one acts.
//
// Invariants: a session of a person who signed in sees and ends all sessions of that sign-in, in whatever team they act now,
// because each of them can act in each of the teams; anything else sees those of its own person in its own team, and a
// token of the team those that it opened. What is ended or acts in another team does so on every replica with the next
// request. Used by the control interface.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { isOver } from "../accounts/console-sessions.ts";
import { RentalError } from "../errors.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { type Actor, sessionTokenOf, type Team, teamsOf } from "./teams.ts";

export interface Session {
  readonly id: string;
  readonly isCurrent: boolean;
  /** Of the client that opened it. */
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** A person has few. */
const mostListed = 1000;

/** The open ones, newest first. */
export async function listSessions(db: Database, by: Principal): Promise<Session[]> {
  const { rows } = await sql<{
    id: string;
    address: string | null;
    user_agent: string | null;
    created_at: Date;
    last_used_at: Date;
    expires_at: Date;
  }>`
    select s.id, s.address, s.user_agent, s.created_at, s.last_used_at, s.expires_at
    from console_sessions s join tokens t on t.id = s.token_id
    where ${isOwn(by)} and not ${isOver} and t.revoked_at is null and coalesce(t.expires_at > now(), true)
    order by s.id desc limit ${mostListed}`.execute(db);
  return rows.map((row) => ({
    ...{ id: row.id, isCurrent: row.id === by.sessionId, address: row.address, userAgent: row.user_agent },
    ...{ createdAt: row.created_at, lastUsedAt: row.last_used_at, expiresAt: row.expires_at },
  }));
}

/** Ends one; repeating it changes nothing. Throws RentalError unknown-object. */
export async function endSessionOf(tx: Transaction, by: Principal, id: string): Promise<void> {
  const { rows } = await sql`
    update console_sessions s set revoked_at = coalesce(s.revoked_at, now()) from tokens t
    where t.id = s.token_id and s.id = ${asUuid(id)} and ${isOwn(by)} returning 1`.execute(tx);
  if (rows.length === 0) throw new RentalError("unknown-object", { what: "session", ids: [id] });
}

/** Ends all but the session of the request. */
export async function endOtherSessions(tx: Transaction, by: Principal): Promise<void> {
  await sql`
    update console_sessions s set revoked_at = now() from tokens t
    where t.id = s.token_id and s.revoked_at is null and ${isOwn(by)}
      and s.id is distinct from ${by.sessionId ?? null}::uuid`.execute(tx);
}

/** The teams in which the session can act; of anything but a session of a person who signed in, its own team only. */
export async function listTeams(db: Database, by: Principal): Promise<Team[]> {
  const who = await actorOf(db, by);
  if (who !== undefined) return teamsOf(db, who);
  if (by.person === undefined) return [];
  return (await teamsOf(db, { personId: by.person.id })).filter(({ accountId }) => accountId === by.accountId);
}

/** From now on the session acts in this team. Throws RentalError conflict, unknown-object. */
export async function switchTeam(tx: Transaction, by: Principal, accountId: string): Promise<Team> {
  const who = await actorOf(tx, by);
  if (who === undefined) {
    throw new RentalError("conflict", {
      message: "Only a person who signed in can switch to another team: a token is for one team.",
      suggestion: "Sign in to the console by email, or use a token of that team.",
    });
  }
  const team = (await teamsOf(tx, who)).find((one) => one.accountId === accountId);
  const tokenId = team && (await sessionTokenOf(tx, team));
  if (team === undefined || tokenId === undefined) {
    throw new RentalError("unknown-object", { what: "account", ids: [accountId] });
  }
  await sql`update console_sessions set token_id = ${tokenId} where id = ${by.sessionId}`.execute(tx);
  return team;
}

/** As whom a session of a person who signed in acts; undefined: it is none. */
async function actorOf(db: Database, { signedIn, sessionId, person }: Principal): Promise<Actor | undefined> {
  if (signedIn !== true || sessionId === undefined || person === undefined) return undefined;
  const { rows } = await sql<{ by_email: string | null }>`
    select by_email from console_sessions where id = ${sessionId}`.execute(db);
  const byEmail = rows[0]?.by_email ?? null;
  return byEmail === null ? { personId: person.id } : { byEmail };
}

/** Whether the session `s` of the token `t` belongs to who asks. */
function isOwn({ accountId, tokenId, person, signedIn, sessionId }: Principal): RawBuilder<boolean> {
  if (person === undefined) return sql`t.id = ${tokenId}`;
  const ofPerson = sql`t.person_id = ${person.id}`;
  if (signedIn !== true) return sql`(${ofPerson} and t.account_id = ${accountId})`;
  return sql`(${ofPerson} and (t.signed_in or t.account_id = ${accountId})
    or s.by_email = (select c.by_email from console_sessions c where c.id = ${sessionId ?? null}::uuid))`;
}
