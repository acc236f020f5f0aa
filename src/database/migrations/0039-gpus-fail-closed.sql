-- No GPU is offered past its reset because something else was decided, was renamed or was deleted meanwhile.

-- The verdict of a reset that began before a GPU was to be reset counts for nothing: resets are counted on.
create function gpus_sanitize_anew() returns trigger language plpgsql as $$
begin
  new.resets := old.resets + 1;
  return new;
end $$;
-- After gpus_follow_holder, which is fired by the same statements: triggers run in order of name.
create trigger gpus_sanitize_anew before update on gpus
  for each row when (new.state = 'sanitizing' and old.state <> 'sanitizing') execute function gpus_sanitize_anew();

-- As which model an instance took it: engines can name it differently later, and the policy for the name before counts too.
alter table gpus add column taken_as text;
-- Its policy resets it, and no reset has come to an end since its last instance: released, it is reset first.
alter table gpus add column reset_owed boolean not null default false;
update gpus set reset_owed = true where state = 'sanitizing';
update gpus set taken_as = model where instance_id is not null;

create or replace function gpus_follow_holder() returns trigger language plpgsql as $$
declare
  policy gpu_policies;
  before gpu_policies;
begin
  if old.instance_id is null and new.instance_id is not null then
    if old.state <> 'free' then
      raise exception 'BUG: GPU % of host % is %, and an instance takes it', old.address, old.host, old.state;
    end if;
    new.state := 'held';
    new.state_since := now();
    new.taken_as := new.model;
    new.reset_owed := false;
  elsif old.instance_id is not null and new.instance_id is null then
    select * into policy from gpu_policy_of(new.host, new.model);
    if old.taken_as is distinct from new.model then
      select * into before from gpu_policy_of(new.host, old.taken_as);
      -- The stricter one; in this order.
      if array_position(array['none', 'reset', 'reset+validate'], coalesce(before.handover, 'none'))
          > array_position(array['none', 'reset', 'reset+validate'], coalesce(policy.handover, 'none')) then
        policy := before;
      end if;
    end if;
    new.handovers := old.handovers + 1;
    new.taken_as := null;
    new.reset_owed := coalesce(policy.handover in ('reset', 'reset+validate'), false);
    new.state := case
      when old.quarantine_next is not null then 'quarantined'
      when policy.handover in ('reset', 'reset+validate') then 'sanitizing'
      else 'free' end;
    new.validation_due := case
      when new.state <> 'free' and policy.handover = 'reset+validate' and new.handovers % policy.every = 0
        then 'handover' end;
    new.state_since := now();
    new.reason := old.quarantine_next;
    new.quarantine_next := null;
    new.attempts := 0;
    new.next_try_at := case when new.state = 'sanitizing' then now() end;
  end if;
  return new;
end $$;

-- What was not free when its host was deleted is not free when the host is there again.
alter table gone_gpus
  drop constraint gone_gpus_host_fkey,
  add column state text check (state in ('sanitizing', 'quarantined')),
  add column reason text,
  add column evidence text,
  add column validation_due text,
  add column reset_owed boolean;

create or replace function gpus_arrive() returns trigger language plpgsql as $$
declare
  policy gpu_policies;
  gone gone_gpus;
begin
  if new.instance_id is not null then return new; end if;
  select * into gone from gone_gpus g where g.host = new.host and g.address = new.address;
  if gone.state is not null then
    new.state := gone.state;
    new.reason := gone.reason;
    new.evidence := gone.evidence;
    new.validation_due := gone.validation_due;
    new.reset_owed := gone.reset_owed;
    new.next_try_at := case when gone.state = 'sanitizing' then now() end;
    update gone_gpus set state = null, reason = null, evidence = null, validation_due = null, reset_owed = null
      where host = new.host and address = new.address;
    return new;
  end if;
  select * into policy from gpu_policy_of(new.host, new.model);
  if policy.burn_in_hours > 0 and gone.host is null then
    new.state := 'validating';
    new.validation_due := 'burn-in';
    new.burn_in_until := now() + make_interval(hours => policy.burn_in_hours);
    new.next_try_at := now();
  end if;
  return new;
end $$;
