-- Accounts that pay before, or only up to a credit line (src/rules/payment-terms.ts, src/rental/funds).

alter table accounts
  add column payment_terms text not null default 'postpaid' check (payment_terms in ('prepaid', 'postpaid')),
  -- How far below zero its balance may be; null: postpaid without a bound, and always of prepaid ones, which have none.
  add column credit_line_cents bigint check (credit_line_cents >= 0),
  add constraint accounts_prepaid_without_credit_line check (payment_terms = 'postpaid' or credit_line_cents is null);
-- Few, whatever else there is.
create index accounts_with_bound_balance on accounts (id) where payment_terms = 'prepaid' or credit_line_cents is not null;

alter table instances
  drop constraint instances_ended_by_check,
  add constraint instances_ended_by_check check (ended_by in
    ('customer', 'operator', 'spend-limit', 'lifetime', 'failure', 'host-lost', 'idle', 'preempted', 'balance'));

-- Accounts whose money is used up while instances of theirs run, with what was announced to them.
create table exhausted_balances (
  account_id uuid primary key references accounts (id),
  since timestamptz not null default now(),
  -- Null: they are not stopped before they are terminated.
  stop_at timestamptz,
  terminate_at timestamptz not null,
  check (stop_at <= terminate_at)
);

-- Warnings that were given: each once a day, and again when there was money since.
create table balance_notices (
  account_id uuid not null references accounts (id),
  within_seconds integer not null,
  day date not null,
  -- The last entry of the ledger that brought money.
  after_entry bigint not null,
  primary key (account_id, within_seconds, day, after_entry)
);
create index balance_notices_by_day on balance_notices (day);
