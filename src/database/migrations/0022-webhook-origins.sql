-- Pauses of unreachable destinations count by origin, not by host: a closed port says nothing of the service at another
-- port, and by host one account could have paused the webhooks of all others there (fulfilment/deliveries/pauses.ts).

alter table webhooks drop column host;
alter table webhooks
  -- Scheme, host and port of the URL, which is in the normal form of the URL parser: in lower case, without a default port.
  add column origin text generated always as
    (regexp_replace(substring(url from '^https?://[^/?#]*'), '\.+(:\d+)?$', '\1')) stored not null;

-- It holds pauses of some minutes.
drop table webhook_hosts;

-- Origins that could not be reached: one that answers has no row.
create table webhook_origins (
  origin text primary key,
  -- Attempts in a row that reached nothing, of all webhooks.
  failures integer not null check (failures > 0),
  -- Before it nothing is attempted, once there were so many failures that the origin is paused.
  next_attempt_at timestamptz not null default now(),
  failed_at timestamptz not null default now()
);
