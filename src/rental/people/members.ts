// The people of a team (account): who they are, changes of their roles, removal and leaving.
//
// Invariants: everything here is decided under the lock of the account's row, with the role that the requesting person
// has then; so a team that has an owner keeps one, also if two leave at once. Who is removed loses all tokens of this
// team in the same transaction, and with them sessions, streams and terminals, and open invitations of that person. Nothing of other teams is shown.
// Used by the control interface.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { keptRole, type Right, rightOver, type TeamRole, teamMay, teamRoles } from "../../rules/roles.ts";
import { asTeamRole, revokeTokensOf } from "../accounts/token-store.ts";
import { readdressEmails } from "../emails/queue.ts";
import { RentalError } from "../errors.ts";
import type { EventWord } from "../events/event-types.ts";
import { type NewEvent, recordEvents } from "../events/record.ts";
import { type Page, pageOf } from "../paging.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { forbids, may, type Through } from "./permits.ts";

/** A person in one team. */
export interface Member {
  /** Of the person. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: TeamRole;
  readonly joinedAt: Date;
}

/** Who changes people of which team, and through what. */
export interface PeopleChange {
  readonly by: Principal;
  readonly accountId: string;
  readonly through: Through;
}

/** The team's people, in order of their ids. */
export async function listMembers(db: Database, accountId: string, page: Page): Promise<Member[]> {
  const rows = await pageOf(membersIn(db, accountId), "people.id", page).execute();
  return rows.map(fromRow);
}

/** Undefined: not in this team. */
export async function findMember(db: Database, accountId: string, personId: string): Promise<Member | undefined> {
  const row = await membersIn(db, accountId).where("people.id", "=", asUuid(personId)).executeTakeFirst();
  return row && fromRow(row);
}

/** Throws RentalError unknown-object, role-forbids, conflict for the last owner. */
export async function changeRole(tx: Transaction, change: PeopleChange, id: string, role: TeamRole): Promise<Member> {
  await lockTeam(tx, change.accountId);
  const member = await readMember(tx, change.accountId, id);
  await requireNow(tx, change, rightOver(member.role));
  await requireNow(tx, change, rightOver(role));
  if (member.role === role) return member;
  await refuseForLastOwner(tx, change.accountId, member);
  await sql`update memberships set role = ${role}
    where account_id = ${change.accountId} and person_id = ${member.id}`.execute(tx);
  await revokeInvitationsBeyond(tx, change.accountId, member.id, role);
  await readdressEmails(tx, change.accountId);
  const changed = { ...member, role };
  await recordEvents(tx, [memberEvent("changed", change.accountId, changed, actorOf(change))]);
  return changed;
}

/** Removes a person from the team; oneself without any right. Throws as `changeRole`. */
export async function removeMember(tx: Transaction, change: PeopleChange, id: string): Promise<void> {
  await lockTeam(tx, change.accountId);
  const member = await readMember(tx, change.accountId, id);
  if (change.by.person?.id !== member.id) await requireNow(tx, change, rightOver(member.role));
  await refuseForLastOwner(tx, change.accountId, member);
  await sql`delete from memberships
    where account_id = ${change.accountId} and person_id = ${member.id}`.execute(tx);
  await revokeTokensOf(tx, change.accountId, member.id);
  await revokeInvitationsOf(tx, change.accountId, member.id, teamRoles);
  await readdressEmails(tx, change.accountId);
  await recordEvents(tx, [memberEvent("removed", change.accountId, member, actorOf(change))]);
}

/** Changes of a team's people happen one after the other. Throws RentalError unknown-object. */
export async function lockTeam(tx: Transaction, accountId: string): Promise<void> {
  const locked = tx.selectFrom("accounts").select("id").where("id", "=", asUuid(accountId)).forNoKeyUpdate();
  if ((await locked.executeTakeFirst()) === undefined)
    throw new RentalError("unknown-object", { what: "account", ids: [accountId] });
}

/** With the role that a person has under the lock of the team. Throws RentalError role-forbids. */
export async function requireNow(
  tx: Transaction,
  { by, accountId, through }: PeopleChange,
  right: Right,
): Promise<void> {
  const { person, ...token } = by;
  if (through === "operator" || person === undefined) {
    if (!may(by, right, through)) throw forbids(by, right, through);
    return;
  }
  const now = await findMember(tx, accountId, person.id);
  const current = now === undefined ? undefined : { ...token, person: { id: person.id, role: now.role } };
  if (current === undefined || !may(current, right, through)) throw forbids(current ?? by, right, through);
}

/** Throws RentalError role-forbids unless `by` may create or revoke tokens of this person; null: of the team itself. */
export async function requireOverToken(tx: Transaction, change: PeopleChange, personId: string | null): Promise<void> {
  if (personId !== null && personId === change.by.person?.id) return;
  await lockTeam(tx, change.accountId);
  await requireNow(tx, change, "tokens");
  const member = personId === null ? undefined : await findMember(tx, change.accountId, personId);
  if (member?.role === keptRole) await requireNow(tx, change, rightOver(keptRole));
}

/** The event of a member. `by`: `actorOf` who changed it, if another did. */
export function memberEvent(
  word: EventWord<"member">,
  accountId: string,
  { id, name, role }: Member,
  by = {},
): NewEvent {
  const data = { person_id: id, name, role, ...by };
  return { accountId: asUuid(accountId), type: `member.${word}`, subjectId: id, data };
}

/** Who did it, for the data of an event: of an operator no more than that. */
export function actorOf({ by, through }: PeopleChange) {
  return through === "operator" ? { by: "operator" } : { by_token_id: by.tokenId, by_person_id: by.person?.id ?? null };
}

/** Revokes what this person invited to roles that one with this role can not invite to. */
export function revokeInvitationsBeyond(
  tx: Transaction,
  accountId: string,
  personId: string,
  role: TeamRole,
): Promise<void> {
  const beyond = teamRoles.filter((one) => !teamMay(role, rightOver(one)));
  return revokeInvitationsOf(tx, accountId, personId, beyond);
}

/** Revokes what this person invited to these roles, with which the person could otherwise come back. */
async function revokeInvitationsOf(
  tx: Transaction,
  accountId: string,
  personId: string,
  roles: readonly TeamRole[],
): Promise<void> {
  await sql`delete from invitations
    where account_id = ${accountId} and invited_by = ${personId} and role = any(${[...roles]}::text[])`.execute(tx);
}

/** Throws RentalError unknown-object. */
async function readMember(db: Database, accountId: string, id: string): Promise<Member> {
  const member = await findMember(db, accountId, id);
  if (member === undefined) throw new RentalError("unknown-object", { what: "member", ids: [id] });
  return member;
}

async function refuseForLastOwner(tx: Transaction, accountId: string, { id, role }: Member): Promise<void> {
  if (role !== keptRole) return;
  const { rows } = await sql`
    select from memberships where account_id = ${accountId} and role = ${keptRole} and person_id <> ${id} limit 1`.execute(
    tx,
  );
  if (rows.length > 0) return;
  throw new RentalError("conflict", {
    message: "The last owner can neither leave the team nor get another role.",
    suggestion: "Make someone else an owner first.",
  });
}

function membersIn(db: Database, accountId: string) {
  return db
    .selectFrom("memberships")
    .innerJoin("people", "people.id", "memberships.person_id")
    .select(["people.id", "people.name", "people.email", "memberships.role", "memberships.created_at"])
    .where("memberships.account_id", "=", asUuid(accountId));
}

function fromRow(row: { id: string; name: string; email: string; role: string; created_at: Date }): Member {
  const role = asTeamRole(row.role);
  if (role === null) throw new Error(`BUG: the database has a role ${row.role}`);
  return { id: row.id, name: row.name, email: row.email, role, joinedAt: row.created_at };
}
