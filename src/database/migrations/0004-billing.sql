-- Money: statements, limits of tokens, lifetimes.

-- Limits -------------------------------------------------------------------------------------------------------------

alter table accounts add column max_lifetime_seconds integer check (max_lifetime_seconds > 0);
alter table tokens add column spend_limit_cents bigint check (spend_limit_cents >= 0);
create index tokens_with_spend_limit on tokens (id) where spend_limit_cents is not null;

alter table instances
  -- Who launched. No foreign key: tokens are never deleted, and it would lock the token's row in every launch.
  add column token_id uuid,
  add column max_lifetime_seconds integer check (max_lifetime_seconds > 0),
  -- When its bill began and the lifetime: when it is terminated. Stored, because an index cannot add seconds to a timestamptz.
  add column expires_at timestamptz,
  add column expiry_warned boolean not null default false,
  add column ended_by text check (ended_by in ('customer', 'spend-limit', 'lifetime', 'failure')),
  -- What is active or stopped for the first time is billed from then on.
  add constraint instances_expire_when_billed check (case when max_lifetime_seconds is null then expires_at is null
    else expires_at is not null or (active_at is null and state <> 'stopped') end);
update instances set ended_by = case when failure_code is null then 'customer' else 'failure' end
where terminating_at is not null;
-- What chores ask for: what stands and has an end, and what a limited token has standing.
create index instances_expiring on instances (expires_at) where expires_at is not null and terminating_at is null;
create index instances_of_token on instances (token_id) where terminated_at is null;

-- Who made the request: limits are of tokens, and one that is held by more does not get the answer. Null: not known.
alter table idempotency_keys add column token_id uuid;

-- A warning is given once a month for each limit. `month` is its first moment in UTC; `subject_id` an account or a token.
create table spend_notices (
  subject_id uuid not null,
  month timestamptz not null,
  limit_cents bigint not null,
  kind text not null check (kind in ('near', 'reached')),
  told_at timestamptz not null default now(),
  primary key (subject_id, month, limit_cents, kind)
);

-- Usage --------------------------------------------------------------------------------------------------------------
-- What was stopped before it was ever active was not billed until now. It holds its capacity, so it is from now on.
insert into billing_spans (instance_id, account_id, started_at, price_cents_per_hour, discount_basis_points, coupon_code)
select id, account_id, now(), price_cents_per_hour, discount_basis_points, coupon_code
from instances where state = 'stopped'
on conflict (instance_id) do nothing;

-- Spans that reach into a time, however long the history before it is.

create index billing_spans_ending on billing_spans (account_id, coalesce(ended_at, 'infinity'));
create index billing_spans_ending_anywhere on billing_spans (coalesce(ended_at, 'infinity'));

-- Statements ---------------------------------------------------------------------------------------------------------
-- A closed month is never changed again. rental/billing/close-months.ts argues why nothing of it is missing.

create table closed_months (
  month date primary key check (extract(day from month) = 1),
  closed_at timestamptz not null default now()
);

create table statement_lines (
  account_id uuid not null references accounts,
  month date not null references closed_months,
  instance_id uuid not null,
  instance_name text not null,
  instance_type text not null,
  region text not null,
  seconds bigint not null check (seconds > 0),
  price_cents_per_hour integer not null,
  discount_basis_points integer not null,
  coupon_code text,
  cost_micro_cents numeric(30, 0) not null check (cost_micro_cents >= 0),
  primary key (account_id, month, instance_id)
);

create function refuse_change_of_closed_month() returns trigger language plpgsql as $$
begin
  raise exception '% is closed and never changes', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger closed_months_stay before update or delete on closed_months
  for each row execute function refuse_change_of_closed_month();
create trigger closed_months_stay_all before truncate on closed_months
  for each statement execute function refuse_change_of_closed_month();
create trigger statement_lines_stay before update or delete on statement_lines
  for each row execute function refuse_change_of_closed_month();
create trigger statement_lines_stay_all before truncate on statement_lines
  for each statement execute function refuse_change_of_closed_month();

-- Lines come in the transaction that closes their month and in no later one.
create function refuse_late_lines() returns trigger language plpgsql as $$
begin
  if exists (select from added where not exists (select from closed_months closed
    where closed.month = added.month and closed.xmin = pg_current_xact_id()::xid))
  then
    raise exception '% is closed and never changes', tg_table_name using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create trigger statement_lines_come_with_their_month after insert on statement_lines referencing new table as added
  for each statement execute function refuse_late_lines();

-- The time that spans are opened and closed at: now, and never within a closed month, though the clock be set back.
create function billing_now() returns timestamptz language sql stable as $$
  select greatest(now(), (select (max(month) + interval '1 month') at time zone 'UTC' from closed_months))
$$;

-- What a closed month was made of stays as well: a span that began in it may only end, and not within it.
create function refuse_change_of_closed_spans() returns trigger language plpgsql as $$
declare
  closed_until timestamptz := (select (max(month) + interval '1 month') at time zone 'UTC' from closed_months);
begin
  if tg_op = 'INSERT' then
    if closed_until is null or new.started_at >= closed_until then return new; end if;
  elsif closed_until is null or old.started_at >= closed_until then
    return coalesce(new, old);
  elsif tg_op = 'UPDATE' and old.ended_at is null and new.ended_at >= closed_until
    and (new.id, new.instance_id, new.account_id, new.started_at, new.price_cents_per_hour, new.discount_basis_points,
      new.coupon_code) is not distinct from (old.id, old.instance_id, old.account_id, old.started_at,
      old.price_cents_per_hour, old.discount_basis_points, old.coupon_code)
  then
    return new;
  end if;
  raise exception 'a span of a closed month never changes' using errcode = 'restrict_violation';
end $$;
create trigger billing_spans_stay before insert or update or delete on billing_spans
  for each row execute function refuse_change_of_closed_spans();
