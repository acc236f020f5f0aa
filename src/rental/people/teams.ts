// The teams that a person who signed in can act in, and the token with which the person's sessions act in one of them.
//
// Invariant: a session acts in one team at a time. Who proved an email address can act as each person with that address;
// otherwise as one person. Teams that are inactive, or have turned off emails of sign-in links, are left out where an
// address is the proof, and everyone whose provider no longer confirms the person is in none. The token of the sessions is one per person and team, has no secret, and is on no list; it is
// revoked as the person's other tokens of the team. Used by sign-in-links.ts, sessions.ts and http/console.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { EmailKind } from "../../rules/emails.ts";
import type { TeamRole } from "../../rules/roles.ts";
import { asTeamRole, insertSignedInToken, isSuspended } from "../accounts/token-store.ts";

export interface Team {
  readonly accountId: string;
  readonly name: string;
  readonly role: TeamRole;
  readonly person: { readonly id: string; readonly email: string };
}

/** Who acts: everyone with an address, in lower case, or one person. */
export type Actor = { readonly byEmail: string } | { readonly personId: string };

/** The team that was used last with a session first, then the one joined first. */
export async function teamsOf(db: Database, who: Actor): Promise<Team[]> {
  const linkKind: EmailKind = "sign_in";
  const whose: RawBuilder<boolean> =
    "byEmail" in who
      ? sql`lower(p.email) = ${who.byEmail} and ${linkKind} <> all(a.disabled_emails)`
      : sql`p.id = ${who.personId}`;
  const { rows } = await sql<{ account_id: string; name: string; role: string; person_id: string; email: string }>`
    select a.id as account_id, a.name, m.role, p.id as person_id, p.email
    from people p join memberships m on m.person_id = p.id join accounts a on a.id = m.account_id
    left join tokens t on t.account_id = a.id and t.person_id = p.id and t.signed_in and t.revoked_at is null
    where ${whose} and a.status = 'active' and not ${isSuspended(sql`p.id`)}
    order by t.last_used_at desc nulls last, m.created_at, a.id limit ${mostTeams}`.execute(db);
  return rows.flatMap(({ account_id: accountId, name, role: word, person_id: id, email }) => {
    const role = asTeamRole(word);
    return role === null ? [] : [{ accountId, name, role, person: { id, email } }];
  });
}

/** More than a person works in. */
const mostTeams = 1000;

/**
 * The id of the token with which this person's sessions act in the team. Undefined: the person is not in the team any
 * more. Until the transaction ends, the person cannot be removed.
 */
export async function sessionTokenOf(
  tx: Transaction,
  { accountId, person }: Pick<Team, "accountId" | "person">,
): Promise<string | undefined> {
  const { rows } = await sql`
    select from memberships where account_id = ${accountId} and person_id = ${person.id} for key share`.execute(tx);
  return rows.length === 0 ? undefined : insertSignedInToken(tx, accountId, person.id);
}
