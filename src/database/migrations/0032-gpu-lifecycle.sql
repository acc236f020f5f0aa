-- The lifecycle of GPUs (src/rules/gpu-lifecycle.ts): what happens to one between two tenants, and quarantine.

create table gpu_policies (
  gpu_model text not null,
  -- Empty: every region that has none of its own.
  region text not null default '',
  handover text not null check (handover in ('none', 'reset')),
  primary key (gpu_model, region)
);

alter table gpus
  -- The subject of its events.
  add column id uuid not null default gen_random_uuid() unique,
  add column state text not null default 'free',
  add column state_since timestamptz not null default now(),
  -- Why it is quarantined: a code of the service, or an operator's words.
  add column reason text,
  -- What was found: the helper's verdict.
  add column evidence text,
  -- The operator who quarantined it; null: the service did.
  add column decided_by uuid references accounts,
  -- Why it is to be quarantined when its instance is gone; null: it is not.
  add column quarantine_next text,
  -- Of its reset, since it was to be reset.
  add column attempts integer not null default 0,
  -- Of all resets that it ever had: the verdict of one counts only while no other has begun.
  add column resets bigint not null default 0,
  add column next_try_at timestamptz;
update gpus set state = 'held' where instance_id is not null;
alter table gpus
  add constraint gpus_state_check check (state in ('free', 'held', 'sanitizing', 'quarantined')),
  add constraint gpus_held check ((state = 'held') = (instance_id is not null));
create index gpus_to_reset on gpus (next_try_at) where state = 'sanitizing';
create index gpus_out_of_service on gpus (host, address) where state in ('sanitizing', 'quarantined');

-- What an instance that takes a GPU, or gives it back, makes of its state. Here, so that no statement can pass it.
create function gpus_follow_holder() returns trigger language plpgsql as $$
declare
  handover text;
begin
  if old.instance_id is null and new.instance_id is not null then
    if old.state <> 'free' then
      raise exception 'BUG: GPU % of host % is %, and an instance takes it', old.address, old.host, old.state;
    end if;
    new.state := 'held';
    new.state_since := now();
  elsif old.instance_id is not null and new.instance_id is null then
    select p.handover into handover from gpu_policies p join hosts h on h.name = new.host
    where p.gpu_model = new.model and p.region in (h.region, '') order by p.region desc limit 1;
    new.state := case
      when old.quarantine_next is not null then 'quarantined'
      when handover = 'reset' then 'sanitizing'
      else 'free' end;
    new.state_since := now();
    new.reason := old.quarantine_next;
    new.quarantine_next := null;
    new.attempts := 0;
    new.next_try_at := case when new.state = 'sanitizing' then now() end;
  end if;
  return new;
end $$;
create trigger gpus_follow_holder before update of instance_id on gpus
  for each row execute function gpus_follow_holder();

-- When a simulated GPU was reset last.
alter table simulated.gpus add column reset_at timestamptz;

alter table simulated.faults
  drop constraint faults_operation_check,
  add constraint faults_operation_check check (operation in ('hosts', 'create', 'start', 'stop', 'remove', 'inspect',
    'list', 'set-inbound', 'remove-file-system', 'console-log', 'open-terminal', 'move', 'remove-copy', 'reset-gpus'));
