-- Budget alerts (src/rental/limits/budget-alerts.ts).

create table budget_alerts (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  amount_cents bigint not null check (amount_cents > 0),
  created_at timestamptz not null default now(),
  constraint budget_alerts_amount unique (account_id, amount_cents)
);

-- Each is told once a month in UTC, of which this is the first day.
create table budget_notices (
  alert_id uuid not null references budget_alerts (id) on delete cascade,
  month date not null check (extract(day from month) = 1),
  reached_at timestamptz not null default now(),
  primary key (alert_id, month)
);
create index budget_notices_by_month on budget_notices (month);
