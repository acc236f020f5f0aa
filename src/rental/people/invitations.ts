// Invitations to a team: an address, a role, and a secret that makes its holder a person of the team, once.
//
// Invariants: the database decides who accepts, by deleting the row; a second attempt finds none. The table has open and
// expired invitations only, at most one for an address and `mostInvitations` of a team. The secret is shown when it is
// created, and stored as a hash. It proves nothing about the address: a person of other teams joins with their own
// token, and never gets a second person's tokens. The token that is created expires no later than the one that invited. Who can no
// longer invite to a role, or is removed, leaves no open invitation to it (members.ts).
// Used by the control interface.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { emailSecretContext, invitationEmail } from "../../rules/emails.ts";
import { rightOver, type TeamRole } from "../../rules/roles.ts";
import { newInvitationSecret } from "../../secrets/invitation-secret.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { hashToken } from "../../secrets/token.ts";
import { readAccount } from "../accounts/account-store.ts";
import { refuseWithSpendLimit } from "../accounts/token-limits.ts";
import { asTeamRole, createToken, readToken, type Token } from "../accounts/token-store.ts";
import { queueEmails } from "../emails/queue.ts";
import { invalid, RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { type Page, pageOf } from "../paging.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { actorOf, findMember, lockTeam, type Member, memberEvent, type PeopleChange, requireNow } from "./members.ts";

/** How long an invitation can be accepted at most, in days. */
export const invitationDays = 7;
/** Of one team at a time. */
export const mostInvitations = 100;
/** The name of the token that a person gets. */
const tokenName = "personal";

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: TeamRole;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Those that can be accepted, oldest first. */
export async function listInvitations(db: Database, accountId: string, page: Page): Promise<Invitation[]> {
  const open = db
    .selectFrom("invitations")
    .selectAll()
    .where("account_id", "=", asUuid(accountId))
    .where("expires_at", ">", sql<Date>`now()`);
  return (await pageOf(open, "id", page).execute()).map(fromRow);
}

/**
 * Invites, and tells the person by email where that is configured; replaces an earlier invitation of the address. `secret`
 * is returned only here; `keyRing` encrypts it for the email. Throws RentalError
 * unknown-object, role-forbids, duplicate, quota-exceeded, conflict.
 */
export async function invite(
  tx: Transaction,
  change: PeopleChange,
  { email, role }: { readonly email: string; readonly role: TeamRole },
  keyRing: KeyRing,
): Promise<Invitation & { readonly secret: string }> {
  const accountId = asUuid(change.accountId);
  await lockTeam(tx, accountId);
  await requireNow(tx, change, rightOver(role));
  await refuseWithSpendLimit(tx, change.by, "invite people");
  await refuseAddressOfMember(tx, accountId, email);
  await requireToReplace(tx, change, email);
  await sql`delete from invitations
    where account_id = ${accountId} and (expires_at <= now() or lower(email) = lower(${email}))`.execute(tx);
  await refuseTooMany(tx, accountId);
  const { secret, hash } = newInvitationSecret();
  const { expiresAt } = await readToken(tx, change.by.accountId, change.by.tokenId);
  const made = await tx
    .insertInto("invitations")
    .values({
      ...{ id: uuidv7(), account_id: accountId, email, role, hash, token_expires_at: expiresAt },
      invited_by: change.through === "team" ? (change.by.person?.id ?? null) : null,
      expires_at: sql<Date>`least(now() + make_interval(days => ${invitationDays}), ${expiresAt}::timestamptz)`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await queueInvitation(tx, made, secret, keyRing);
  const data = { invitation_id: made.id, email, role, ...actorOf(change) };
  await recordEvents(tx, [{ accountId, type: "member.invited", subjectId: made.id, data }]);
  return { ...fromRow(made), secret };
}

async function queueInvitation(
  tx: Transaction,
  made: {
    readonly id: string;
    readonly account_id: string;
    readonly email: string;
    readonly role: string;
    readonly expires_at: Date;
  },
  secret: string,
  keyRing: KeyRing,
): Promise<void> {
  const id = uuidv7();
  const { name: team } = await readAccount(tx, made.account_id);
  const text = invitationEmail({ id: made.id, team, role: made.role, expiresAt: made.expires_at });
  const secretSealed = keyRing.seal(secret, emailSecretContext(id));
  await queueEmails(tx, [{ ...text, id, accountId: made.account_id, recipient: made.email, secretSealed }]);
}

/** Throws RentalError unknown-object, role-forbids. */
export async function revokeInvitation(tx: Transaction, change: PeopleChange, id: string): Promise<void> {
  await lockTeam(tx, change.accountId);
  const found = tx.selectFrom("invitations").select(["id", "role"]).where("id", "=", asUuid(id));
  const row = await found.where("account_id", "=", asUuid(change.accountId)).executeTakeFirst();
  if (row === undefined) throw new RentalError("unknown-object", { what: "invitation", ids: [id] });
  await requireNow(tx, change, rightOver(roleOf(row)));
  await tx.deleteFrom("invitations").where("id", "=", row.id).execute();
}

/** What a person who accepts has then. */
export interface Joined {
  readonly team: { readonly id: string; readonly name: string };
  readonly member: Member;
  /** `token` is returned only here. */
  readonly token: Token & { readonly token: string };
}

/**
 * Makes the holder of the secret a person of the team, with a token of this team. `by`: the person's token in another
 * team; undefined: a new person. Throws RentalError invalid-parameters, conflict.
 */
export async function acceptInvitation(
  tx: Transaction,
  {
    secret,
    name,
    by,
  }: { readonly secret: string; readonly name?: string | undefined; readonly by: Principal | undefined },
): Promise<Joined> {
  const team = await teamOf(tx, hashToken(secret));
  await lockTeam(tx, team.id);
  const taken = await tx
    .deleteFrom("invitations")
    .where("hash", "=", hashToken(secret))
    .where("expires_at", ">", sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst();
  if (taken === undefined) throw notOpen();
  const personId = by === undefined ? await insertPerson(tx, taken.email, name) : personOf(by);
  const inserted = await sql`
    insert into memberships (account_id, person_id, role) values (${team.id}, ${personId}, ${taken.role})
    on conflict do nothing returning role`.execute(tx);
  if (inserted.rows.length === 0) throw isMember();
  const member = await findMember(tx, team.id, personId);
  if (member === undefined) throw new Error("BUG: a membership that was just created is missing");
  await recordEvents(tx, [memberEvent("joined", team.id, member)]);
  const order = { accountId: team.id, name: tokenName, scopes: ["read", "write"] as const, personId };
  const token = await createToken(tx, { ...order, expiresAt: taken.token_expires_at });
  return { team, member, token };
}

/** The team that a secret is for. Throws RentalError invalid-parameters. */
async function teamOf(db: Database, hash: Buffer): Promise<{ id: string; name: string }> {
  const of = db.selectFrom("invitations").innerJoin("accounts", "accounts.id", "invitations.account_id");
  const team = await of.select(["accounts.id", "accounts.name"]).where("hash", "=", hash).executeTakeFirst();
  if (team === undefined) throw notOpen();
  return team;
}

async function insertPerson(tx: Transaction, email: string, name: string | undefined): Promise<string> {
  if (name === undefined) throw invalid("name", "Is required without a personal token.");
  const id = uuidv7();
  await tx.insertInto("people").values({ id, name, email }).execute();
  return id;
}

function personOf({ person }: Principal): string {
  if (person !== undefined) return person.id;
  throw new RentalError("conflict", {
    message: "The token of the request belongs to a team, not to a person.",
    suggestion: "Send your own token, or none to join as a new person.",
  });
}

async function refuseAddressOfMember(tx: Transaction, accountId: string, email: string): Promise<void> {
  const { rows } = await sql`
    select from memberships m join people p on p.id = m.person_id
    where m.account_id = ${accountId} and lower(p.email) = lower(${email}) limit 1`.execute(tx);
  if (rows.length === 0) return;
  const message = "A person with this address is in the team already.";
  throw new RentalError("duplicate", { what: "member", field: "email", message });
}

/** Replacing an open invitation revokes it. */
async function requireToReplace(tx: Transaction, change: PeopleChange, email: string): Promise<void> {
  const { rows } = await sql<{ role: string }>`select role from invitations
    where account_id = ${change.accountId} and lower(email) = lower(${email}) and expires_at > now()`.execute(tx);
  for (const row of rows) await requireNow(tx, change, rightOver(roleOf(row)));
}

async function refuseTooMany(tx: Transaction, accountId: string): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from invitations where account_id = ${accountId}`.execute(tx);
  const used = rows[0]?.count ?? 0;
  if (used < mostInvitations) return;
  throw new RentalError("quota-exceeded", { what: "invitations", limit: mostInvitations, used, requested: 1 });
}

function notOpen(): RentalError {
  return invalid("secret", "Is not of an open invitation: it is wrong, expired, revoked or already used.");
}

function isMember(): RentalError {
  return new RentalError("conflict", {
    message: "This person is in the team already.",
    suggestion: "Ask an owner or admin of the team to change the role.",
  });
}

function fromRow(row: { id: string; email: string; role: string; created_at: Date; expires_at: Date }): Invitation {
  return { id: row.id, email: row.email, role: roleOf(row), createdAt: row.created_at, expiresAt: row.expires_at };
}

function roleOf({ role: word }: { readonly role: string }): TeamRole {
  const role = asTeamRole(word);
  if (role === null) throw new Error(`BUG: the database has a role ${word}`);
  return role;
}
