-- Undelivered time is not billed: since when an instance has been unreachable, the time of a span that is not billed, and
-- credits for time that is billed already.

alter table instances
  -- The last time that its host was reached, while it is not; null while it is.
  add column unreachable_since timestamptz,
  -- That time is counted as downtime.
  add column is_down boolean not null default false;
-- What has been unreachable for longer was billed until now, and closed months hold some of it.
update instances set unreachable_since = now() where health = 'unreachable' and terminated_at is null;
create index instances_becoming_down on instances (engine) where unreachable_since is not null and not is_down;
create index instances_ended_down on instances (engine) where unreachable_since is not null and terminated_at is not null;

alter table billing_spans
  add column downtime tstzmultirange not null default '{}',
  -- When its last credit was given.
  add column credited_at timestamptz;
create index billing_spans_credited on billing_spans (account_id, credited_at) where credited_at is not null;

-- Seconds of downtime from one moment to a later one.
create function downtime_seconds(downtime tstzmultirange, since timestamptz, until timestamptz)
returns numeric language sql immutable parallel safe
  return (
    select coalesce(sum(extract(epoch from upper(part) - lower(part))), 0)
    from unnest(downtime * tstzmultirange(tstzrange(since, greatest(since, until)))) as part
  );

-- What an account does not have to pay of what was billed. A credit belongs to the month in which it was given,
-- whichever time it is for.
create table billing_credits (
  id bigint generated always as identity primary key,
  instance_id uuid not null,
  account_id uuid not null references accounts,
  token_id uuid,
  given_at timestamptz not null,
  began_at timestamptz not null,
  ended_at timestamptz not null,
  seconds bigint not null check (seconds > 0),
  cost_micro_cents numeric(30, 0) not null check (cost_micro_cents >= 0)
);
create index billing_credits_of_account on billing_credits (account_id, given_at);
create index billing_credits_of_instance on billing_credits (instance_id);

create function refuse_change_of_credits() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and (new.given_at >= (select (max(month) + interval '1 month') at time zone 'UTC' from closed_months))
    is not false
  then return new; end if;
  raise exception 'a credit never changes, and none is given in a closed month' using errcode = 'restrict_violation';
end $$;
create trigger billing_credits_stay before insert or update or delete on billing_credits
  for each row execute function refuse_change_of_credits();

alter table statement_lines
  add column downtime_seconds bigint not null default 0 check (downtime_seconds >= 0),
  add column credit_micro_cents numeric(30, 0) not null default 0 check (credit_micro_cents >= 0),
  drop constraint statement_lines_seconds_check,
  add constraint statement_lines_seconds_check check (seconds >= 0 and seconds + downtime_seconds > 0);

-- As before, and the downtime of a closed month stays too.
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
      new.coupon_code, new.token_id) is not distinct from (old.id, old.instance_id, old.account_id, old.started_at,
      old.price_cents_per_hour, old.discount_basis_points, old.coupon_code, old.token_id)
  then
    return new;
  end if;
  raise exception 'a span of a closed month never changes' using errcode = 'restrict_violation';
end $$;
