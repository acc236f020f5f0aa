-- What is let go of after a while, so that years of work do not slow a launch (rental/instances/past-instances.ts and
-- rental/events/old-events.ts, by chores of fulfilment).

-- What stays of an instance whose row was deleted, for good: what usage shows beside its span, and by what a machine of
-- it is recognised. Written by the statement that deletes the row; an id is in one of the two tables, never in both.
create table past_instances (
  id uuid primary key,
  name text not null,
  instance_type text not null,
  region text not null,
  -- 'machine-lost': a machine that turns up all the same has somebody's data on it (fulfilment/sweep.ts).
  failure_code text
);

-- Spans are what usage is counted from, to the micro-cent, and stay as they are; instances go. Who launched stands in the
-- span: limits of tokens are asked for by launches, which should look at no table that grows for good.
alter table billing_spans
  drop constraint billing_spans_instance_id_fkey,
  add column token_id uuid;
alter table billing_spans disable trigger billing_spans_stay;
update billing_spans s set token_id = i.token_id from instances i where i.id = s.instance_id and i.token_id is not null;
alter table billing_spans enable trigger billing_spans_stay;

create or replace function refuse_change_of_closed_spans() returns trigger language plpgsql as $$
declare
  closed_until timestamptz := (select (max(month) + interval '1 month') at time zone 'UTC' from closed_months);
begin
  if tg_op = 'INSERT' then
    if closed_until is null or new.started_at >= closed_until then return new; end if;
  elsif closed_until is null or old.started_at >= closed_until then
    return coalesce(new, old);
  elsif tg_op = 'UPDATE' and old.ended_at is null and new.ended_at >= closed_until
    and (new.id, new.instance_id, new.account_id, new.started_at, new.price_cents_per_hour, new.discount_basis_points,
      new.coupon_code, new.token_id) is not distinct from (old.id, old.instance_id, old.account_id, old.started_at,
      old.price_cents_per_hour, old.discount_basis_points, old.coupon_code, old.token_id)
  then
    return new;
  end if;
  raise exception 'a span of a closed month never changes' using errcode = 'restrict_violation';
end $$;

-- The oldest of all accounts. Partial: an instance comes into it once in its life, at its end, and a launch never.
create index instances_ended on instances (terminated_at) where terminated_at is not null;

-- Nobody looks an event up by its id, which is 122 random bits. The index was a random page to read and to write for
-- each event, of an index that grows with all that are kept; everything else that a launch writes goes to a right end.
alter table events drop constraint events_id_key;
