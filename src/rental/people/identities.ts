// People who sign in with OpenID Connect: which person a subject of a provider is, and the teams that its groups give.
//
// Invariants: a person is known by issuer and subject, never by an email address alone; an address links to a person only if
// the provider verified it and the operator allowed that, of this provider and of each that the person signed in with before:
// who could make a provider say any address would otherwise share the person of its owner. Groups change only memberships that they made. A team keeps its
// last owner. Used by http/console and the reconciler.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Transaction } from "../../database/connect.ts";
import { keptRole, type TeamRole } from "../../rules/roles.ts";
import { rolesOf, type SignInProvider } from "../../rules/sign-in-providers.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { type AccountOrder, createAccount } from "../accounts/account-store.ts";
import { revokeTokensOf } from "../accounts/token-store.ts";
import { readdressEmails } from "../emails/queue.ts";
import { recordEvents } from "../events/record.ts";
import { confirmSignIn } from "./confirmations.ts";
import { findMember, lockTeam, memberEvent, revokeInvitationsBeyond } from "./members.ts";

/** What a provider says of who signed in. */
export interface Claims {
  readonly subject: string;
  readonly name: string;
  /** Undefined: the provider says none. */
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly groups: ReadonlySet<string>;
  /** With which the provider confirms later that the person still has access; undefined: it gave none. */
  readonly refreshToken: string | undefined;
}

/** How the team of a person who signs up pays, and its limits, like those of other new accounts. */
export type OwnTeam = Omit<AccountOrder, "name">;

/** The person, with the memberships that the groups give now. Undefined: not known, and may not sign up. */
export async function personOfClaims(
  tx: Transaction,
  provider: SignInProvider,
  claims: Claims,
  team: OwnTeam,
  keyRing: KeyRing,
): Promise<string | undefined> {
  const roles = rolesOf(provider, claims.groups);
  const isInGroup = [...roles.values()].some((role) => role !== undefined);
  // One at a time: two browsers that sign in at once are one person.
  const lock = `lessor identity ${provider.issuer} ${claims.subject}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
  const known = (await identified(tx, provider, claims)) ?? (await linked(tx, provider, claims));
  if (known === undefined && !isInGroup && !provider.signUp) return undefined;
  const id = known ?? (await insertPerson(tx, claims));
  await sql`
    insert into identities (issuer, subject, person_id, proves_email)
    select ${provider.issuer}, ${claims.subject}, p.id,
      ${proves(provider, claims)} and lower(p.email) = lower(${claims.email ?? ""})
    from people p where p.id = ${id}
    on conflict (issuer, subject) do update set proves_email = excluded.proves_email`.execute(tx);
  await confirmSignIn(tx, provider, claims, keyRing);
  await applyGroups(tx, provider, id, claims.groups);
  if (known === undefined && !isInGroup) await ownTeam(tx, id, claims, team);
  return id;
}

/** The memberships and roles that these groups give now. */
export async function applyGroups(
  tx: Transaction,
  provider: SignInProvider,
  personId: string,
  groups: ReadonlySet<string>,
): Promise<void> {
  for (const [account, role] of [...rolesOf(provider, groups)].toSorted())
    await applyRole(tx, provider, account, personId, role);
}

async function identified(
  tx: Transaction,
  { issuer }: SignInProvider,
  { subject }: Claims,
): Promise<string | undefined> {
  const found = tx.selectFrom("identities").select("person_id").where("issuer", "=", issuer);
  return (await found.where("subject", "=", subject).executeTakeFirst())?.person_id;
}

async function linked(tx: Transaction, provider: SignInProvider, claims: Claims): Promise<string | undefined> {
  if (!proves(provider, claims)) return undefined;
  // Not one that another subject of this provider is already, nor one whose address only its own provider said.
  const { rows } = await sql<{ id: string }>`
    select p.id from people p
    where lower(p.email) = lower(${claims.email}) and exists (select from memberships m where m.person_id = p.id)
      and not exists (select from identities i
        where i.person_id = p.id and (i.issuer = ${provider.issuer} or not i.proves_email))
    order by p.created_at, p.id limit 1`.execute(tx);
  return rows[0]?.id;
}

/** Whether the address is that of who signed in, as far as the operator trusts the provider. */
const proves = ({ linkByEmail }: SignInProvider, { email, isEmailVerified }: Claims): boolean =>
  linkByEmail && isEmailVerified && email !== undefined;

async function insertPerson(tx: Transaction, { name, email }: Claims): Promise<string> {
  const id = uuidv7();
  await tx
    .insertInto("people")
    .values({ id, name, email: email ?? "" })
    .execute();
  return id;
}

/** Gives or takes what the groups of the provider decide. Unknown accounts are left out. */
async function applyRole(
  tx: Transaction,
  { id: provider }: SignInProvider,
  account: string,
  personId: string,
  role: TeamRole | undefined,
): Promise<void> {
  const found = await tx.selectFrom("accounts").select("id").where("name", "=", account).executeTakeFirst();
  if (found === undefined) return;
  await lockTeam(tx, found.id);
  const before = await tx
    .selectFrom("memberships")
    .select(["role", "provider"])
    .where("account_id", "=", found.id)
    .where("person_id", "=", personId)
    .executeTakeFirst();
  if (before === undefined ? role === undefined : before.provider !== provider || before.role === role) return;
  if (before?.role === keptRole && !(await hasOtherOwner(tx, found.id, personId))) return;
  const old = await findMember(tx, found.id, personId);
  if (role === undefined) {
    await sql`delete from memberships where account_id = ${found.id} and person_id = ${personId}`.execute(tx);
    await sql`delete from invitations where account_id = ${found.id} and invited_by = ${personId}`.execute(tx);
    await revokeTokensOf(tx, found.id, personId);
  } else {
    await sql`
      insert into memberships (account_id, person_id, role, provider)
      values (${found.id}, ${personId}, ${role}, ${provider})
      on conflict (account_id, person_id) do update set role = excluded.role`.execute(tx);
    await revokeInvitationsBeyond(tx, found.id, personId, role);
  }
  await readdressEmails(tx, found.id);
  const member = role === undefined ? old : await findMember(tx, found.id, personId);
  if (member === undefined) throw new Error("BUG: a membership that was just changed is missing");
  const word = role === undefined ? "removed" : before === undefined ? "joined" : "changed";
  await recordEvents(tx, [memberEvent(word, found.id, member, { by: "provider" })]);
}

async function hasOtherOwner(tx: Transaction, accountId: string, personId: string): Promise<boolean> {
  const { rows } = await sql`
    select from memberships
    where account_id = ${accountId} and role = ${keptRole} and person_id <> ${personId} limit 1`.execute(tx);
  return rows.length > 0;
}

/** A new account, with the person as owner. */
async function ownTeam(
  tx: Transaction,
  personId: string,
  { name, email, isEmailVerified }: Claims,
  team: OwnTeam,
): Promise<void> {
  // Without one, it would learn of a balance that is used up in the console only.
  const contactEmail = isEmailVerified && email !== undefined ? email : null;
  // Names of accounts are unique: those of people are not.
  const own = `${(email ?? name).slice(0, 40)} ${personId.slice(-8)}`;
  const account = await createAccount(tx, { ...team, name: own, contactEmail });
  await sql`
    insert into memberships (account_id, person_id, role) values (${account.id}, ${personId}, ${keptRole})`.execute(tx);
  const member = await findMember(tx, account.id, personId);
  if (member !== undefined) await recordEvents(tx, [memberEvent("joined", account.id, member)]);
}
