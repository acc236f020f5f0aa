-- Invoices, and what customers state for them (src/rules/invoices.ts, src/rental/invoices). An invoice holds all that it
-- says, and never changes. Numbers of a series have no gaps: each invoice refers to the one before it.

create table billing_details (
  account_id uuid primary key references accounts (id),
  name text,
  address text[] not null default '{}',
  country text check (country ~ '^[A-Z]{2}$'),
  tax_id text,
  email text check (email ~ '^[!-~]+@[!-~]+$' and length(email) <= 254)
);

-- Has a row while the service is configured to issue invoices: since when, and the last month of which all are issued.
create table invoicing (
  is_only boolean primary key default true check (is_only),
  since timestamptz not null default now(),
  done_month date
);

create table invoice_series (
  -- What its numbers begin with.
  name text primary key,
  -- Who gives a number locks this row.
  last integer not null check (last >= 0)
);

create function sum_of_lines(lines jsonb, field text) returns bigint language sql immutable as $$
  select coalesce(sum((line ->> field)::bigint), 0)::bigint from jsonb_array_elements(lines) line
$$;

create table invoices (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  kind text not null check (kind in ('usage', 'top_up', 'credit_note')),
  -- What it is for: the same cause never has a second one.
  cause text not null constraint one_invoice_per_cause unique,
  series text not null references invoice_series (name),
  serial integer not null check (serial > 0),
  previous integer generated always as (nullif(serial - 1, 0)) stored,
  number text not null constraint one_invoice_per_number unique,
  -- The first day of the month that it is accounted to (UTC): of usage, the month of the usage.
  month date not null check (extract(day from month) = 1),
  -- Of a top-up: its entry.
  entry_id bigint unique references ledger_entries (id),
  -- Of a credit note: the invoice that it corrects, and why.
  corrects uuid references invoices (id),
  reason text,
  issued_at timestamptz not null default now(),
  due_on date,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Whole cents, with tax, without, and the tax; below zero what customers get back.
  total_cents bigint not null,
  net_cents bigint not null,
  tax_cents bigint not null,
  -- What the total was rounded from.
  micro_cents numeric(30, 0) not null,
  tax jsonb not null,
  seller jsonb not null,
  customer jsonb not null,
  lines jsonb not null,
  unique (series, serial),
  constraint invoices_number check (number = series || lpad(serial::text, greatest(6, length(serial::text)), '0')),
  constraint invoices_without_gaps foreign key (series, previous) references invoices (series, serial),
  constraint invoices_add_up check (
    total_cents = net_cents + tax_cents
    and total_cents = sum_of_lines(lines, 'total_cents') and net_cents = sum_of_lines(lines, 'net_cents')
    and tax_cents = sum_of_lines(lines, 'tax_cents') and abs(total_cents * 1000000 - micro_cents) <= 500000),
  constraint invoices_of_top_ups check ((kind = 'top_up') = (entry_id is not null)),
  constraint invoices_credit_notes check (
    (kind = 'credit_note') = (corrects is not null) and (corrects is null) = (reason is null)
    and (corrects is null or total_cents < 0))
);
create index invoices_of_account on invoices (account_id, id);
create index invoices_of_month on invoices (month, id);
create index invoices_corrects on invoices (corrects) where corrects is not null;
create index ledger_entries_top_ups on ledger_entries (id) where kind = 'top_up';

create function refuse_change_of_invoice() returns trigger language plpgsql as $$
begin
  raise exception 'invoices never change' using errcode = 'restrict_violation';
end $$;
create trigger invoices_stay before update or delete on invoices
  for each row execute function refuse_change_of_invoice();
create trigger invoices_stay_all before truncate on invoices
  for each statement execute function refuse_change_of_invoice();

-- Credit notes take back no more than their invoice. Its lock orders them.
create function refuse_unbounded_credit_note() returns trigger language plpgsql as $$
declare
  corrected invoices;
begin
  select * into corrected from invoices where id = new.corrects for update;
  if corrected.kind = 'credit_note' or corrected.account_id <> new.account_id or corrected.currency <> new.currency
    or corrected.tax -> 'basis_points' <> new.tax -> 'basis_points'
    or corrected.total_cents + new.total_cents + (
      select coalesce(sum(total_cents), 0) from invoices where corrects = new.corrects and id <> new.id) < 0 then
    raise exception 'a credit note takes back no more than its invoice' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create trigger invoices_credit_bound after insert on invoices
  for each row when (new.corrects is not null) execute function refuse_unbounded_credit_note();
