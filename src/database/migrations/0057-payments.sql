-- Payments through a provider (src/rules/payments.ts, src/rental/payments). A row is committed before the provider is asked,
-- and its id makes what is asked the only one.

create table payments (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  provider text not null constraint payments_provider check (provider in ('stripe')),
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  status text not null constraint payments_status
    check (status in ('created', 'pending', 'processing', 'paid', 'failed', 'expired', 'canceled')),
  -- Why it failed, in the provider's words.
  failure text,
  -- The provider's names of it.
  checkout_id text unique,
  provider_payment_id text unique,
  -- Where the customer pays.
  checkout_url text,
  -- Who asked for it; null: the service.
  token_id uuid,
  created_at timestamptz not null default now(),
  paid_at timestamptz constraint payments_paid check ((paid_at is not null) = (status = 'paid')),
  -- When the provider is asked again; null: when it says that something changed.
  next_check_at timestamptz,
  -- Attempts without a response in a row.
  tries integer not null default 0,
  -- How often the provider said so.
  hints integer not null default 0,
  -- When the last question was asked that got a response.
  checked_at timestamptz,
  lease_owner uuid,
  lease_until timestamptz
);
create index payments_of_account on payments (account_id, id);
create index payments_to_check on payments (next_check_at) where next_check_at is not null;

-- How far the provider's list of changes was read, by its clock, and when.
create table payment_cursors (
  provider text primary key,
  until timestamptz not null,
  read_at timestamptz not null
);
