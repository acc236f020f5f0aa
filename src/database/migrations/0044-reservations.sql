-- Reservations: capacity of hosts that is promised to an account for a time (src/rules/reservations.ts, src/rental/reservations).
create table reservations (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  -- Whose spend limit counts.
  token_id uuid not null,
  name text not null,
  state text not null default 'scheduled' check (state in ('scheduled', 'active', 'ended', 'cancelled', 'unfulfilled')),
  region text not null,
  instance_type text not null,
  -- The row of the instance type when it was made: what is promised, whatever the catalog says later.
  type jsonb not null,
  price_cents_per_hour integer not null check (price_cents_per_hour >= 0),
  quantity integer not null check (quantity > 0),
  begins_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > begins_at),
  -- What its hosts need before it and after it, to remove machines and to reset GPUs.
  handover_seconds integer not null check (handover_seconds >= 0),
  created_at timestamptz not null default now(),
  -- When it became active: it is billed from then on.
  started_at timestamptz,
  -- Capacity was missing at its begin: it is billed from when that is there.
  begins_late boolean not null default false,
  -- When it was over.
  ended_at timestamptz,
  -- Why it is unfulfilled, in words.
  reason text,
  -- The last warning before its end, in seconds before it.
  warned_seconds integer,
  -- Since when hosts cannot keep what is promised, and no others can; null: all is promised.
  at_risk_since timestamptz,
  check ((state in ('scheduled', 'active')) = (ended_at is null)),
  check (state not in ('active', 'ended') or started_at is not null),
  check ((state = 'unfulfilled') = (reason is not null))
);
create index reservations_of_account on reservations (account_id, id);
create index reservations_open on reservations (begins_at) where state in ('scheduled', 'active');
create index reservations_without_cost on reservations (ended_at) where state in ('cancelled', 'unfulfilled');

-- The hosts of reservations that are not over: the slots of one add up to its quantity. A slot is used while an instance of
-- the reservation has capacity of the host. Changes under the lock of the reservation's row, and slots under that of
-- the host too.
create table reservation_hosts (
  reservation_id uuid not null references reservations (id),
  -- Not a reference: slots stay on a host that is gone until they are promised elsewhere.
  host text not null,
  slots integer not null check (slots > 0),
  -- How many of them cannot be used, and since when.
  undelivered integer not null default 0 check (undelivered between 0 and slots),
  undelivered_since timestamptz,
  -- Until when what could not be used is settled: credited, or too short for that.
  settled_until timestamptz,
  primary key (reservation_id, host),
  check ((undelivered = 0) = (undelivered_since is null))
);
create index reservation_hosts_of_host on reservation_hosts (host);

-- The slots that are promised of a host. Hosts are read with them, so that a host without any costs nothing, and every
-- change of what is promised changes the row of the host, by which caches notice it.
alter table hosts add column promised integer not null default 0;

create function promised_on(host_name text) returns integer language sql stable as $$
  select coalesce(sum(slots), 0)::integer from reservation_hosts where host = host_name
$$;

create function hosts_follow_promises() returns trigger language plpgsql as $$
begin
  update hosts set promised = promised_on(name)
  where name in (case when tg_op <> 'INSERT' then old.host end, case when tg_op <> 'DELETE' then new.host end);
  return null;
end $$;
create trigger hosts_follow_promises after insert or delete on reservation_hosts
  for each row execute function hosts_follow_promises();
create trigger hosts_follow_slots after update on reservation_hosts
  for each row when ((old.host, old.slots) is distinct from (new.host, new.slots)) execute function hosts_follow_promises();

-- A host that is there again.
create function hosts_arrive_promised() returns trigger language plpgsql as $$
begin
  new.promised := promised_on(new.name);
  return new;
end $$;
create trigger hosts_arrive_promised before insert on hosts for each row execute function hosts_arrive_promised();

-- The reservation that pays for an instance, which ends with it at the latest.
alter table instances
  add column reservation_id uuid references reservations (id),
  drop constraint instances_expire_when_billed,
  add constraint instances_expire_when_billed check (case
    when reservation_id is not null then expires_at is not null
    when max_lifetime_seconds is null then expires_at is null
    else expires_at is not null or (active_at is null and state <> 'stopped') end);
create index instances_of_reservation on instances (reservation_id) where reservation_id is not null;

-- A span belongs to an instance or, with its quantity, to a reservation, whose id instance_id is then.
alter table billing_spans add column quantity integer not null default 1 check (quantity > 0);
alter table statement_lines add column quantity integer not null default 1 check (quantity > 0);
alter table billing_credits
  drop constraint billing_credits_reason_check,
  add constraint billing_credits_reason_check check (reason in ('downtime', 'gpu-fault', 'preemption', 'undelivered'));

create or replace function refuse_change_of_closed_spans() returns trigger language plpgsql as $$
declare
  closed_until timestamptz := (select (max(month) + interval '1 month') at time zone 'UTC' from closed_months);
begin
  if tg_op = 'INSERT' then
    if closed_until is null or new.started_at >= closed_until then return new; end if;
  elsif closed_until is null or old.started_at >= closed_until then
    return coalesce(new, old);
  elsif tg_op = 'UPDATE'
    and (new.ended_at is not distinct from old.ended_at or (old.ended_at is null and new.ended_at >= closed_until))
    and new.downtime * tstzmultirange(tstzrange(null, closed_until))
      = old.downtime * tstzmultirange(tstzrange(null, closed_until))
    and (new.id, new.instance_id, new.account_id, new.started_at, new.price_cents_per_hour, new.discount_basis_points,
      new.coupon_code, new.token_id, new.quantity) is not distinct from (old.id, old.instance_id, old.account_id,
      old.started_at, old.price_cents_per_hour, old.discount_basis_points, old.coupon_code, old.token_id, old.quantity)
  then
    return new;
  end if;
  raise exception 'a span of a closed month never changes' using errcode = 'restrict_violation';
end $$;

-- When a waiting launch would end: before a reservation begins, or not (src/rental/capacity/line.ts). Null: unlimited.
alter table waiting_launches add column max_lifetime_seconds integer;
