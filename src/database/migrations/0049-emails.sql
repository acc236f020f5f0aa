-- Emails: a message is a row from the moment of its cause, in the same transaction (src/rules/emails.ts,
-- src/rental/emails), and src/reconciler/emails sends it.
alter table accounts
  add column contact_email text,
  -- Kinds that the account does not want.
  add column disabled_emails text[] not null default '{}',
  add constraint accounts_contact_email_check check (contact_email ~ '^[!-~]+@[!-~]+$' and length(contact_email) <= 254);

create table emails (
  id uuid primary key,
  -- Whose limit counts. No foreign key: it would lock the row of the account, which other locks must follow.
  account_id uuid not null,
  kind text not null,
  -- What it tells of, such as an instance and how it ended: the same cause is told once.
  cause text not null,
  recipient text not null,
  subject text not null,
  -- Paragraphs, and lists of lines. Written once, so that a doubled delivery says the same.
  body jsonb not null,
  -- What a line of the body ends with, encrypted; null: none, or the message is sent or given up.
  secret_sealed text,
  -- suppressed: the account had too many within the hour.
  status text not null check (status in ('waiting', 'sent', 'failed', 'suppressed')),
  tries integer not null default 0,
  next_attempt_at timestamptz,
  -- Who sends it, and until when no other does.
  lease_owner uuid,
  lease_until timestamptz,
  -- Of the last attempt that failed: a word, and the response of the mail server.
  last_error text,
  last_response text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (kind, cause, recipient),
  check ((status = 'waiting') = (finished_at is null)),
  check ((status = 'waiting') = (next_attempt_at is not null)),
  check (status = 'waiting' or secret_sealed is null)
);
create index emails_due on emails (next_attempt_at) where status = 'waiting';
create index emails_of_account on emails (account_id, created_at);
create index emails_created on emails (created_at);
