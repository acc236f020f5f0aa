-- Validation of GPUs before an instance gets them (src/rules/gpu-lifecycle.ts).

alter table gpu_policies
  drop constraint gpu_policies_handover_check,
  add constraint gpu_policies_handover_check check (handover in ('none', 'reset', 'reset+validate')),
  -- The image that the validating machine boots; null: GPUs of the model are not validated.
  add column image text,
  -- Each so many handovers.
  add column every integer not null default 1 check (every > 0),
  -- Of one validation, until its verdict.
  add column deadline_seconds float8 not null default 600 check (deadline_seconds > 0),
  -- How often one without a verdict is tried.
  add column attempts integer not null default 3 check (attempts > 0),
  add column warning text not null default 'pass' check (warning in ('pass', 'quarantine')),
  -- Of a new GPU before its first rental.
  add column burn_in_hours integer not null default 0 check (burn_in_hours >= 0),
  -- The size of the machine.
  add column vcpus integer not null default 4 check (vcpus > 0),
  add column memory_gib integer not null default 16 check (memory_gib > 0),
  add column storage_gb integer not null default 20 check (storage_gb > 0),
  add constraint gpu_policies_image check (image is not null or (handover <> 'reset+validate' and burn_in_hours = 0));

-- Validations in progress. A row exists before its machine does, and until nothing of that is left; until then it
-- reserves the capacity of its host and keeps its GPUs from being offered. Belongs to no account and has no price.
create table gpu_validations (
  -- Of the machine.
  id uuid primary key default gen_random_uuid(),
  host text not null references hosts on delete cascade,
  model text not null,
  addresses text[] not null,
  image text not null,
  vcpus integer not null,
  memory_gib integer not null,
  storage_gb integer not null,
  -- Its verdict counts only with it.
  nonce text not null,
  -- The nonces of the validations before, of these GPUs.
  previous text[] not null default '{}',
  began_at timestamptz not null default now(),
  deadline_seconds float8 not null,
  -- How often one without a verdict is tried.
  attempts integer not null,
  quarantines_warnings boolean not null,
  -- Until then the process that claimed it last works on it.
  leased_until timestamptz not null,
  claims bigint not null default 1,
  -- Of its removal.
  failures integer not null default 0,
  -- Null: not known yet. 'aborted': the service ended in order, and it counts as no attempt.
  verdict text check (verdict in ('passed', 'warned', 'failed', 'unverified', 'aborted')),
  evidence text
);
create index gpu_validations_of_host on gpu_validations (host);

create function gpu_validations_reserve() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update hosts set free_vcpus = free_vcpus - new.vcpus, free_memory_gib = free_memory_gib - new.memory_gib,
      free_storage_gb = free_storage_gb - new.storage_gb where name = new.host;
  else
    update hosts set free_vcpus = free_vcpus + old.vcpus, free_memory_gib = free_memory_gib + old.memory_gib,
      free_storage_gb = free_storage_gb + old.storage_gb where name = old.host;
  end if;
  return null;
end $$;
create trigger gpu_validations_reserve after insert or delete on gpu_validations
  for each row execute function gpu_validations_reserve();

-- GPUs that their hosts had before: one that is seen again is not new.
create table gone_gpus (
  host text not null references hosts on delete cascade,
  address text not null,
  primary key (host, address)
);

alter table gpus
  -- How often an instance gave it back.
  add column handovers bigint not null default 0,
  -- Why it is to be validated before it is offered; null: it is not.
  add column validation_due text check (validation_due in ('handover', 'burn-in', 'operator')),
  -- Until then it is validated again and again.
  add column burn_in_until timestamptz,
  -- The one whose machine has it.
  add column validation_id uuid references gpu_validations on delete set null,
  add column last_validated_at timestamptz,
  add column last_verdict text check (last_verdict in ('passed', 'warned', 'failed', 'unverified')),
  -- Of its last validation.
  add column last_nonce text,
  drop constraint gpus_state_check,
  add constraint gpus_state_check check (state in ('free', 'held', 'sanitizing', 'validating', 'quarantined')),
  -- No GPU is offered that is still to be validated, or that the machine of a validation has.
  add constraint gpus_validated check (state not in ('free', 'held') or (validation_due is null and validation_id is null)),
  add constraint gpus_unused check (state <> 'sanitizing' or validation_id is null),
  add constraint gpus_validating check (state <> 'validating' or validation_due is not null);
create index gpus_to_validate on gpus (next_try_at) where state = 'validating';
create index gpus_of_validation on gpus (validation_id) where validation_id is not null;
drop index gpus_out_of_service;
create index gpus_out_of_service on gpus (host, address) where state in ('sanitizing', 'validating', 'quarantined');

-- The policy in force for GPUs of the model on the host; no row: none.
create function gpu_policy_of(host_name text, model_name text) returns setof gpu_policies language sql stable as $$
  select p.* from gpu_policies p join hosts h on h.name = host_name
  where p.gpu_model = model_name and p.region in (h.region, '') order by p.region desc limit 1
$$;

create or replace function gpus_follow_holder() returns trigger language plpgsql as $$
declare
  policy gpu_policies;
begin
  if old.instance_id is null and new.instance_id is not null then
    if old.state <> 'free' then
      raise exception 'BUG: GPU % of host % is %, and an instance takes it', old.address, old.host, old.state;
    end if;
    new.state := 'held';
    new.state_since := now();
  elsif old.instance_id is not null and new.instance_id is null then
    select * into policy from gpu_policy_of(new.host, new.model);
    new.handovers := old.handovers + 1;
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

-- A new GPU is validated for hours before its first rental, if its policy says so.
create function gpus_arrive() returns trigger language plpgsql as $$
declare
  policy gpu_policies;
begin
  select * into policy from gpu_policy_of(new.host, new.model);
  if policy.burn_in_hours > 0 and new.instance_id is null
      and not exists (select from gone_gpus g where g.host = new.host and g.address = new.address) then
    new.state := 'validating';
    new.validation_due := 'burn-in';
    new.burn_in_until := now() + make_interval(hours => policy.burn_in_hours);
    new.next_try_at := now();
  end if;
  return new;
end $$;
create trigger gpus_arrive before insert on gpus for each row execute function gpus_arrive();

-- What the simulated machine of a validation prints: its nonce, its GPUs and its verdict.
alter table simulated.machines add column validation jsonb;
