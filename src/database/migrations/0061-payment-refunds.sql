-- Refunds that operators order at the payment provider (src/rental/payments/refund-store.ts). A row is committed before the
-- provider is asked, and its id makes what is asked the only one.

create table payment_refunds (
  id uuid primary key,
  payment_id uuid not null references payments (id),
  amount_cents bigint not null check (amount_cents > 0),
  reason text not null,
  status text not null constraint payment_refunds_status check (status in ('created', 'pending', 'succeeded', 'failed')),
  -- Why it failed, in the provider's words.
  failure text,
  provider_refund_id text unique,
  -- Who ordered it.
  token_id uuid not null,
  -- How many orders got a response that was an error of the provider: each is repeated as another.
  attempt integer not null default 0,
  created_at timestamptz not null default now()
);
create index payment_refunds_of_payment on payment_refunds (payment_id);
