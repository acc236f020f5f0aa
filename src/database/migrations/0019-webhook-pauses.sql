-- Pauses of webhooks after failures: of each webhook, and of each destination host for all its webhooks
-- (fulfilment/deliveries/pauses.ts).

alter table webhooks
  -- Of the URL, which is in the normal form of the URL parser: in lower case, an IPv6 address in brackets.
  add column host text generated always as
    (rtrim(substring(url from '^https?://(\[[^]]*\]|[^:/?#]*)'), '.')) stored not null,
  -- Attempts that failed in a row. While it is paused, those that were under way already don't count.
  add column failures integer not null default 0 check (failures >= 0),
  -- Nothing is attempted before, but what somebody asks for.
  add column paused_until timestamptz,
  -- Why the last attempt failed; null when it did not.
  add column last_error text,
  add column last_status_code integer;

-- Hosts that could not be reached: one that answers has no row.
create table webhook_hosts (
  host text primary key,
  -- Attempts in a row that reached nothing, of all webhooks.
  failures integer not null check (failures > 0),
  -- Before it nothing is attempted, once there were so many failures that the host is paused.
  next_attempt_at timestamptz not null default now(),
  failed_at timestamptz not null default now()
);
