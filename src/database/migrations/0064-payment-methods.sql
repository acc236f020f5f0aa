-- Payment methods that are saved at the provider (src/rules/payment-methods.ts, src/rental/payment-methods), and the customer
-- there that has those of an account. Nothing of a card is here but what people recognize it by.

create table payment_customers (
  account_id uuid primary key references accounts (id),
  -- The provider's; null: not known yet.
  customer_id text unique,
  -- How often it was removed there.
  generation integer not null default 0,
  created_at timestamptz not null default now()
);

create table payment_methods (
  id uuid primary key,
  account_id uuid not null references payment_customers (account_id),
  status text not null constraint payment_methods_status
    check (status in ('created', 'pending', 'saved', 'failed', 'removing', 'removed')),
  -- The provider's names of its page and of itself.
  checkout_id text unique,
  provider_method_id text unique,
  -- Where the customer enters it.
  checkout_url text,
  -- A brand of cards, or another kind of method.
  brand text,
  last4 text constraint payment_methods_last4 check (length(last4) <= 4),
  exp_month integer,
  exp_year integer,
  -- Who asked for it.
  token_id uuid,
  -- Names the request that began it, so that a retry begins no second one.
  order_key text,
  created_at timestamptz not null default now(),
  saved_at timestamptz,
  constraint payment_methods_saved check (status <> 'saved' or (saved_at is not null and provider_method_id is not null)),
  -- As of payments.
  next_check_at timestamptz,
  tries integer not null default 0,
  hints integer not null default 0,
  checked_at timestamptz,
  lease_owner uuid,
  lease_until timestamptz
);
create index payment_methods_order_keys on payment_methods (account_id, order_key) where order_key is not null;
create index payment_methods_of_account on payment_methods (account_id, id);
create index payment_methods_to_check on payment_methods (next_check_at) where next_check_at is not null;
