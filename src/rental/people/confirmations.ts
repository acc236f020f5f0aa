// Whether people who signed in with OpenID Connect still have access: their provider says so at each sign-in, and with the
// refresh token that it gave, if it gives any, twice within the longest session.
//
// Invariants: access ends by time, `good_until`, with nothing running: a provider that does not respond, a refresh token that
// was lost, and a provider that gives none all end it. The last sign-in decides: it ends the lease of a refresh in
// progress, whose result is then dropped. Only one replica refreshes an identity at a time, as providers replace
// refresh tokens, and take the use of an old one for theft. A replica that dies after its provider replaced the token leaves the
// old one, which the provider does not accept: the person signs in again. Instances and tokens of the team are left alone.
// Used by identities.ts and the reconciler.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { confirmSeconds, type SignInProvider } from "../../rules/sign-in-providers.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { isSuspended } from "../accounts/token-store.ts";
import type { EventWord } from "../events/event-types.ts";
import { recordEvents } from "../events/record.ts";
import { findMember, memberEvent } from "./members.ts";

/** The encryption context of a refresh token. */
export const refreshTokenContext = (issuer: string, subject: string) => `identity:${JSON.stringify([issuer, subject])}`;

/** Providers that can be asked whether they still confirm a person. */
export interface Confirmations {
  readonly providers: readonly SignInProvider[];
  refresh(provider: SignInProvider, refreshToken: string, subject: string): Promise<Refreshed>;
}

/** `ended`: the provider does not accept the token any more. `unknown`: no usable response, `ofPerson`: only of this person. */
export type Refreshed =
  | {
      readonly status: "confirmed";
      /** Undefined: the one before stays valid. */
      readonly refreshToken: string | undefined;
      /** Undefined: it did not say. */
      readonly groups: ReadonlySet<string> | undefined;
    }
  | { readonly status: "ended" }
  | { readonly status: "unknown"; readonly problem: string; readonly ofPerson?: true };

export interface ClaimedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly person_id: string;
  readonly provider: string;
  readonly refresh_sealed: string;
  readonly lease_owner: string;
}

/** Until when a provider need not confirm it again. */
const goodUntil = ({ unconfirmedHours }: SignInProvider) => sql`now() + make_interval(hours => ${unconfirmedHours})`;
const checkAt = (provider: SignInProvider) => sql`now() + make_interval(secs => ${confirmSeconds(provider)}::float8)`;

/** A person signed in. Sessions from before a suspension stay ended; tokens are valid again. */
export async function confirmSignIn(
  tx: Transaction,
  provider: SignInProvider,
  { subject, refreshToken }: { readonly subject: string; readonly refreshToken: string | undefined },
  keyRing: KeyRing,
): Promise<void> {
  const { issuer } = provider;
  const context = refreshTokenContext(issuer, subject);
  const sealed = refreshToken === undefined ? null : keyRing.seal(refreshToken, context);
  await sql`
    update console_sessions s set revoked_at = now() from tokens t, identities i
    where t.id = s.token_id and t.person_id = i.person_id and s.revoked_at is null
      and i.issuer = ${issuer} and i.subject = ${subject} and i.good_until < now()`.execute(tx);
  const { rows } = await sql<{ person_id: string; was_suspended: boolean }>`
    update identities i set provider = ${provider.id}, refresh_sealed = ${sealed}, good_until = ${goodUntil(provider)},
      check_at = ${checkAt(provider)}, is_suspended = false, lease_owner = null, lease_until = null
    from (select issuer, subject, is_suspended from identities
      where issuer = ${issuer} and subject = ${subject} for update) before
    where i.issuer = before.issuer and i.subject = before.subject
    returning i.person_id, before.is_suspended as was_suspended`.execute(tx);
  const [row] = rows;
  if (row?.was_suspended === true) await tellTeams(tx, row.person_id, "resumed");
}

/** Claims the one in a team that has been due for longest, of these providers; undefined: none is due. */
export async function claimIdentity(
  db: Database,
  providers: readonly SignInProvider[],
  leaseSeconds: number,
): Promise<ClaimedIdentity | undefined> {
  // The issuer too: a refresh token is sent only to the one that gave it.
  const [ids, issuers] = [providers.map(({ id }) => id), providers.map(({ issuer }) => issuer)];
  const { rows } = await sql<ClaimedIdentity>`
    update identities set lease_owner = gen_random_uuid(),
      lease_until = now() + make_interval(secs => ${leaseSeconds}::float8)
    where (issuer, subject) = (
      select issuer, subject from identities
      where refresh_sealed is not null and check_at <= now() and (lease_until is null or lease_until <= now())
        and exists (select from memberships m where m.person_id = identities.person_id)
        and (provider, issuer) in (select * from unnest(${ids}::text[], ${issuers}::text[]))
      order by check_at limit 1 for update skip locked)
    returning issuer, subject, person_id, provider, refresh_sealed, lease_owner`.execute(db);
  return rows[0];
}

/** Records the result. Returns whether the lease was kept: otherwise nothing is recorded. `retrySeconds`: of an unknown result. */
export async function settleIdentity(
  tx: Transaction,
  { issuer, subject, lease_owner, refresh_sealed: sealed, person_id: personId }: ClaimedIdentity,
  provider: SignInProvider,
  result: Refreshed,
  { keyRing, retrySeconds }: { readonly keyRing: KeyRing; readonly retrySeconds: number },
): Promise<boolean> {
  const token = result.status === "confirmed" ? result.refreshToken : undefined;
  const kept = token === undefined ? sealed : keyRing.seal(token, refreshTokenContext(issuer, subject));
  const change = {
    confirmed: sql`refresh_sealed = ${kept}, good_until = ${goodUntil(provider)}, check_at = ${checkAt(provider)}`,
    ended: sql`refresh_sealed = null, good_until = least(good_until, now())`,
    unknown: sql`check_at = now() + make_interval(secs => ${retrySeconds}::float8)`,
  }[result.status];
  const { rows } = await sql<{ is_suspended: boolean }>`
    update identities set ${change}, lease_owner = null, lease_until = null
    where issuer = ${issuer} and subject = ${subject} and lease_owner = ${lease_owner}
    returning is_suspended`.execute(tx);
  const [row] = rows;
  if (row === undefined) return false;
  if (row.is_suspended && result.status === "confirmed") {
    await sql`update identities set is_suspended = false where issuer = ${issuer} and subject = ${subject}`.execute(tx);
    await tellTeams(tx, personId, "resumed");
  }
  return true;
}

/** Whether another of the person's providers no longer confirms the access. */
export async function isSuspendedPerson(db: Database, personId: string): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select ${isSuspended(sql`${personId}::uuid`)} as is`.execute(db);
  return rows[0]?.is === true;
}

/** Records the events of people whose access ended, one at a time; what is kept of people of no team is deleted. Returns whether there was one. */
export async function noteSuspension(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ person_id: string }>`
    update identities set is_suspended = true, refresh_sealed = case when exists (
        select from memberships m where m.person_id = identities.person_id) then refresh_sealed end
    where (issuer, subject) = (
      select issuer, subject from identities where good_until <= now() and not is_suspended
      order by good_until limit 1 for update skip locked)
    returning person_id`.execute(tx);
  const [row] = rows;
  if (row === undefined) return false;
  await tellTeams(tx, row.person_id, "suspended");
  return true;
}

async function tellTeams(tx: Transaction, personId: string, word: EventWord<"member">): Promise<void> {
  const teams = await tx.selectFrom("memberships").select("account_id").where("person_id", "=", personId).execute();
  for (const { account_id: accountId } of teams) {
    const member = await findMember(tx, accountId, personId);
    if (member !== undefined) await recordEvents(tx, [memberEvent(word, accountId, member, { by: "provider" })]);
  }
}
