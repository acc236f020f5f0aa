-- Moves of stopped instances between hosts (src/rules/moves.ts). While one is in progress, capacity is reserved on both
-- hosts: on the instance's (instances.host) and on the other of the two.

create table moves (
  -- An instance that is deleted has ended long ago.
  instance_id uuid primary key references instances on delete cascade,
  -- A host that holds capacity is not deleted, so this ends records of failed moves only.
  from_host text not null references hosts on delete cascade,
  to_host text not null references hosts on delete cascade,
  phase text not null check (phase in ('copying', 'moved', 'removing-source', 'removing-target', 'failed')),
  copied_bytes bigint not null default 0 check (copied_bytes >= 0),
  -- 0: unknown.
  total_bytes bigint not null default 0 check (total_bytes >= 0),
  began_at timestamptz not null default now(),
  -- The operator's account; null: the service, to empty a host.
  began_by uuid references accounts,
  reason text,
  -- Why it was given up.
  failure_code text,
  failure_message text,
  check (from_host <> to_host),
  check ((failure_code is null) = (failure_message is null))
);
create index moves_from on moves (from_host);
create index moves_to on moves (to_host);

-- How its operator empties a host that is draining; servers of the version before leave it null, which is `wait`.
alter table hosts add column drain_mode text check (drain_mode in ('wait', 'move'));

-- The simulated engine: of a machine that moves, the copy that is not the machine.
create table simulated.copies (
  machine_id uuid not null,
  host text not null references simulated.hosts on delete cascade,
  copied_bytes bigint not null check (copied_bytes >= 0),
  -- Of a complete one: the row that the machine has if this copy is it.
  machine jsonb,
  -- The GPUs that the machine has there.
  gpu_addresses text[] not null default '{}',
  primary key (machine_id, host)
);
create index copies_on_host on simulated.copies (host);

alter table simulated.faults
  drop constraint faults_operation_check,
  add constraint faults_operation_check check (operation in ('hosts', 'create', 'start', 'stop', 'remove', 'inspect',
    'list', 'set-inbound', 'remove-file-system', 'console-log', 'open-terminal', 'move', 'remove-copy'));
