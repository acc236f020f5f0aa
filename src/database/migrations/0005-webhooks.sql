-- Webhooks and their deliveries.
-- A webhook is a reader of its account's events with a cursor of its own; a delivery is a row from the moment the cursor
-- reaches its event (fulfilment/deliveries/index.ts argues why).

create table webhooks (
  id uuid primary key,
  account_id uuid not null references accounts,
  url text not null,
  description text not null default '',
  -- Globs such as instance.*; empty: all.
  event_types text[] not null default '{}',
  active boolean not null default true,
  -- Why the service switched it off; null while it is on, or when somebody did.
  disabled_reason text check (disabled_reason in ('failing', 'gone')),
  secret_sealed text not null,
  -- After a rotation both sign until then.
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  -- Everything up to this event has been made a delivery of, or did not match.
  cursor_tx xid8 not null,
  cursor_position bigint not null,
  -- Its deliveries that are neither delivered nor failed.
  pending integer not null default 0 check (pending >= 0),
  -- The first failure since the last success.
  failing_since timestamptz,
  -- The last attempt failed or was slow: it has its turn among others of its kind.
  troubled boolean not null default false,
  -- Who delivers for it, and for how long; when nobody does, lease_until tells whose turn was longest ago.
  lease_owner uuid,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  check (not active or disabled_reason is null),
  check ((previous_secret_sealed is null) = (previous_secret_until is null))
);
create index webhooks_of_account on webhooks (account_id, id);

-- No foreign key to webhooks: one that is deleted may have a month of deliveries, which are deleted in the background.
create table webhook_deliveries (
  id uuid primary key,
  -- Order within a subject.
  position bigint generated always as identity unique,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  subject_id uuid not null,
  -- The same bytes at every attempt.
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  -- Asked for by somebody (test, resend): waits for no other, and no other waits for it.
  asked boolean not null default false,
  -- Null while it waits for an earlier one of its subject, and when it is over.
  next_attempt_at timestamptz,
  -- Since it was made, or asked for again: what the next pause depends on.
  tries integer not null default 0,
  attempts integer not null default 0,
  -- The last attempts, oldest first: Attempt of rental/webhooks/delivery.ts.
  log jsonb not null default '[]',
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((status = 'pending') = (finished_at is null)),
  check (status = 'pending' or next_attempt_at is null)
);
create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at)
  where status = 'pending' and next_attempt_at is not null;
create index webhook_deliveries_in_order on webhook_deliveries (webhook_id, subject_id, position)
  where status = 'pending' and not asked;
create index webhook_deliveries_finished on webhook_deliveries (finished_at) where finished_at is not null;

-- For readers of all accounts' events: streams (http/streams) and operators.
create index events_in_order on events (tx, position);
