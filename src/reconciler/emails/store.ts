// The SQL of sending emails: which one is due, which replica works on it, and what came of it. A lease is a token and a
// time, longer than an attempt can take, and every write checks the token.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { type EmailBlock, type EmailError, type EmailKind, emailKindNames, emailLimits } from "../../rules/emails.ts";
import { retryAt } from "../deliveries/settings.ts";

export interface ClaimedEmail {
  readonly id: string;
  readonly kind: EmailKind;
  readonly recipient: string;
  readonly subject: string;
  readonly body: readonly EmailBlock[];
  readonly secret_sealed: string | null;
  readonly created_at: Date;
  readonly account_name: string;
  readonly tries: number;
  readonly lease_owner: string;
}

/** The result of an attempt: sent, or why not and the response of the mail server. `isFinal`: another would end the same. */
export type EmailResult =
  | { readonly error: undefined }
  | { readonly error: EmailError; readonly response: string | undefined; readonly isFinal: boolean };

/** Claims the one that has been due for longest; undefined: none is due. Kinds of newer versions are left to those. */
export async function claimEmail(db: Database, leaseSeconds: number): Promise<ClaimedEmail | undefined> {
  const { rows } = await sql<ClaimedEmail>`
    update emails e set lease_owner = gen_random_uuid(),
      lease_until = now() + make_interval(secs => ${leaseSeconds}::float8)
    from accounts a
    where a.id = e.account_id and e.id = (
      select id from emails
      where status = 'waiting' and next_attempt_at <= now() and kind = any(${emailKindNames}::text[]) and (lease_until is null or lease_until <= now())
      order by next_attempt_at limit 1 for update skip locked)
    returning e.id, e.kind, e.recipient, e.subject, e.body, e.secret_sealed, e.created_at, e.tries, e.lease_owner,
      a.name as account_name`.execute(db);
  return rows[0];
}

/** Records the result, unless the lease was lost. `retrySeconds`: the delay before each retry; the last one repeats. */
export async function settleEmail(
  db: Database,
  { id, lease_owner, tries }: ClaimedEmail,
  result: EmailResult,
  retrySeconds: readonly number[],
): Promise<void> {
  const status = result.error === undefined ? "sent" : result.isFinal ? "failed" : "waiting";
  const isOver = status !== "waiting";
  const delay = retrySeconds[Math.min(tries, retrySeconds.length - 1)] ?? 0;
  await sql`
    update emails set status = ${status}, tries = tries + 1, lease_owner = null, lease_until = null,
      next_attempt_at = ${isOver ? null : retryAt(delay)}, finished_at = case when ${isOver} then now() end,
      secret_sealed = case when not ${isOver} then secret_sealed end, last_error = ${result.error ?? null}, last_response = ${result.error === undefined ? null : (result.response ?? null)}
    where id = ${id} and lease_owner = ${lease_owner}`.execute(db);
}

/** As if the attempt had not been made. */
export async function releaseEmail(db: Database, { id, lease_owner }: ClaimedEmail): Promise<void> {
  await sql`
    update emails set lease_owner = null, lease_until = null
    where id = ${id} and lease_owner = ${lease_owner}`.execute(db);
}

/** Gives up those that were tried for too long, with their last error. Returns how many. */
export async function giveUpEmails(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    update emails set status = 'failed', next_attempt_at = null, finished_at = now(), secret_sealed = null,
      last_error = coalesce(last_error, ${"expired" satisfies EmailError})
    where status = 'waiting' and created_at <= now() - make_interval(secs =>
        case when kind = ${"sign_in" satisfies EmailKind} then ${emailLimits.tryingLinkSeconds} else ${emailLimits.tryingSeconds} end::float8)
      and (lease_until is null or lease_until <= now())`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Deletes old ones. Returns how many. */
export async function deleteOldEmails(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from emails where created_at < now() - make_interval(days => ${emailLimits.keptDays})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
