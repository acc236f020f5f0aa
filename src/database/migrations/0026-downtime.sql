-- Undelivered time is not billed: since when an instance has been unreachable, and the time of a span that is not billed.

alter table instances
  -- The last time that its host was reached, while it is not; null while it is.
  add column unreachable_since timestamptz,
  -- That time is counted as downtime.
  add column is_down boolean not null default false;
create index instances_becoming_down on instances (engine) where unreachable_since is not null and not is_down;

alter table billing_spans add column downtime tstzmultirange not null default '{}';

-- Seconds of downtime from one moment to a later one.
create function downtime_seconds(downtime tstzmultirange, since timestamptz, until timestamptz)
returns numeric language sql immutable parallel safe
  return (
    select coalesce(sum(extract(epoch from upper(part) - lower(part))), 0)
    from unnest(downtime * tstzmultirange(tstzrange(since, greatest(since, until)))) as part
  );

alter table statement_lines
  add column downtime_seconds bigint not null default 0 check (downtime_seconds >= 0),
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
