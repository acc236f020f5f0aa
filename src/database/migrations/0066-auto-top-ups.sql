-- Automatic top-ups (src/rules/auto-top-ups.ts, src/rental/auto-top-ups), and which payments they are.

create table auto_top_ups (
  account_id uuid primary key references accounts (id),
  threshold_cents bigint not null check (threshold_cents >= 0),
  amount_cents bigint not null check (amount_cents > 0),
  monthly_cap_cents bigint not null check (monthly_cap_cents >= amount_cents),
  -- Null: the default.
  payment_method_id uuid references payment_methods (id),
  -- In a row.
  declines integer not null default 0,
  turned_off_at timestamptz,
  turned_off_reason text,
  constraint auto_top_ups_turned_off check ((turned_off_at is null) = (turned_off_reason is null))
);

-- What an automatic payment charges; null: the customer pays.
alter table payments add column payment_method_id uuid references payment_methods (id);
-- One is in progress at a time.
create unique index payments_one_automatic on payments (account_id)
  where payment_method_id is not null and status in ('created', 'pending', 'processing');
