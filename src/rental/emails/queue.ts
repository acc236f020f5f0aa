// Queues emails: a row in the transaction of the cause, which reconciler/emails sends. Used by events/record.ts for what
// events cause, by invitations, and by operators' tests (email-store.ts).
//
// Invariant: a cause is told to an account once: (kind, cause, recipient) is unique, and what events cause begins with the
// account, because several accounts can have one address and one maintenance window. Nothing is queued where email is not
// configured, for accounts without a contact address, and of kinds that the account or the operator has turned off.
// `settings` says whether email is configured and which kinds are off, because the causes are all over the service: each
// replica writes what it was configured with when it starts (keepEmailSettings).

import { type RawBuilder, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { behind } from "../../database/round-trips.ts";
import {
  billingEmailKinds,
  canCauseEmail,
  contactEmailKinds,
  type EmailKind,
  type EmailSettings,
  type EmailText,
  emailLimits,
  emailsAbout,
  payersEmailKind,
} from "../../rules/emails.ts";
import { teamMay, teamRoles } from "../../rules/roles.ts";
import type { NewEvent } from "../events/record.ts";
import { type Work, workChannel } from "../instances/wake.ts";

/** The name of the setting: whether emails are queued, and which kinds are not. Without it, none are. */
const setting = "email";

/** Undefined: email is not configured. */
export async function keepEmailSettings(db: Database, settings: EmailSettings | undefined): Promise<void> {
  if (settings === undefined) {
    await db.deleteFrom("settings").where("name", "=", setting).execute();
    return;
  }
  const value = JSON.stringify({ disabled_kinds: settings.disabledKinds });
  await sql`
    insert into settings (name, value) values (${setting}, ${value}::jsonb)
    on conflict (name) do update set value = excluded.value`.execute(db);
}

export interface NewEmail extends EmailText {
  readonly accountId: string;
  /** Undefined: the account's contact address. */
  readonly recipient?: string;
  /** Undefined: a new one. */
  readonly id?: string;
  /** The secret of the message, encrypted with the context of `id`. */
  readonly secretSealed?: string;
}

/** Queues what these events cause, which are recorded in the same transaction. */
export async function queueEmailsAbout(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  const causing = events.filter(({ type }) => canCauseEmail(type));
  if (causing.length === 0) return;
  const accounts = Map.groupBy(causing, ({ accountId }) => accountId);
  const emails = [...accounts].flatMap(([accountId, some]) =>
    accountId === null
      ? []
      : emailsAbout(some).map((one) => ({ ...one, accountId, cause: `${accountId} ${one.cause}` })),
  );
  if (emails.length > 0) await queueEmails(tx, emails);
}

/** Has limits of its own, because people outside of the account cause it. */
const ownLimit: EmailKind = "sign_in";

/** Where an email of this kind about the account `a` goes by default: null for nowhere. */
const mainAddress = (kind: RawBuilder<unknown>) => sql`coalesce(
  (select b.email from billing_details b where b.account_id = a.id and ${kind} = any(${billingEmailKinds}::text[])),
  a.contact_email)`;
/** That, and the addresses of people: one row of `address` each, in one spelling. */
const addresses = (kind: RawBuilder<unknown>) => sql`
  select distinct on (lower(address)) address from (
    select ${mainAddress(kind)} as address
    union all select p.email from memberships m join people p on p.id = m.person_id
    where ${kind} = ${payersEmailKind} and m.account_id = a.id and m.role = any(${payers}::text[])) known
  where address is not null order by lower(address), address`;
const payers = teamRoles.filter((role) => teamMay(role, "money"));

/** Queues them; those beyond the account's limit are suppressed. */
export async function queueEmails(tx: Transaction, emails: readonly NewEmail[]): Promise<void> {
  const column = (of: (email: NewEmail) => string | null, type: string): RawBuilder<unknown> =>
    sql`${emails.map(of)}::${sql.raw(type)}[]`;
  await behind(sql`
    with queued as (
      insert into emails (id, account_id, kind, cause, recipient, subject, body, secret_sealed, status, next_attempt_at, finished_at)
      select case when to_whom.place = 1 then email.id
          -- Others of the same message: ids of the same time.
          else overlay(gen_random_uuid()::text placing left(email.id::text, 18) from 1 for 18)::uuid end,
        a.id, email.kind, email.cause, to_whom.address, email.subject, email.body::jsonb,
        case when not recent.are_many then email.secret_sealed end,
        case when recent.are_many then 'suppressed' else 'waiting' end,
        case when not recent.are_many then now() end, case when recent.are_many then now() end
      from unnest(
        ${column(({ id = uuidv7() }) => id, "uuid")}, ${column(({ accountId }) => accountId, "uuid")},
        ${column(({ kind }) => kind, "text")}, ${column(({ cause }) => cause, "text")},
        ${column(({ recipient }) => recipient ?? null, "text")}, ${column(({ subject }) => subject, "text")},
        ${column(({ body }) => JSON.stringify(body), "text")}, ${column(({ secretSealed = null }) => secretSealed, "text")}
      ) as email (id, account_id, kind, cause, recipient, subject, body, secret_sealed)
      join accounts a on a.id = email.account_id
      cross join lateral (
        select email.recipient as address, 1 as place where email.recipient is not null
        union all select address, row_number() over () as place from (${addresses(sql`email.kind`)}) known where email.recipient is null) to_whom
      cross join lateral (
        select count(*) >= ${emailLimits.perAccountPerHour} as are_many from emails e
        where e.account_id = a.id and e.created_at > now() - interval '1 hour' and e.status <> 'suppressed'
          and e.kind <> ${ownLimit} and email.kind <> ${ownLimit}) recent
      where email.kind <> all(a.disabled_emails)
        and exists (select from settings s where s.name = ${setting} and not s.value -> 'disabled_kinds' ? email.kind)
      on conflict (kind, cause, recipient) do nothing
      returning 1)
    select pg_notify(${workChannel}, ${"emails" satisfies Work}) where exists (select from queued)`).execute(tx);
}

/**
 * After a change of the account or its people: those that wait for an address that they do not go to any more go to the
 * account's address now, or nowhere. Others have an address of their own.
 */
export async function readdressEmails(tx: Transaction, accountId: string): Promise<void> {
  const address = mainAddress(sql`e.kind`);
  const stale = (email: RawBuilder<unknown>) =>
    sql`lower(${email}) <> all (select lower(address) from (${addresses(sql`e.kind`)}) known)`;
  const waiting = sql`
    where a.id = ${accountId} and e.account_id = a.id and e.status = 'waiting' and e.kind = any(${contactEmailKinds}::text[])`;
  await behind(sql`
    delete from emails e using accounts a
    ${waiting} and (e.kind = any(a.disabled_emails) or ${stale(sql`e.recipient`)} and (
      ${address} is null or exists (
        select from emails o where o.id <> e.id and (o.kind, o.cause) = (e.kind, e.cause)
          and (o.recipient = ${address} or o.id < e.id and o.status = 'waiting' and ${stale(sql`o.recipient`)}))))`).execute(
    tx,
  );
  // Without the lease: who sends it to the old address at this moment records nothing.
  await behind(sql`
    update emails e set recipient = ${address}, lease_owner = null, lease_until = null
    from accounts a ${waiting} and ${stale(sql`e.recipient`)}`).execute(tx);
}
