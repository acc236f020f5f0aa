-- Hosts that an engine discovers, and file systems that live on one of them.

-- `reported`: what its engine said of the host last. `overrides`: what an operator wants it to count as, smaller or named
-- otherwise. The facts of the row are made from the two (rental/capacity/overrides.ts).
alter table hosts
  add column shared_storage boolean not null default true,
  add column reported jsonb,
  add column overrides jsonb;

-- 0: the engine cannot say.
alter table gpus
  drop constraint gpus_memory_gib_check,
  add constraint gpus_memory_gib_check check (memory_gib >= 0);

-- Where a file system is, from its first attachment on. `host` only where that host's storage is not shared.
alter table file_systems
  add column engine text,
  add column host text,
  add constraint file_systems_place check (host is null or engine is not null);

-- Deleted for its account, and still to be removed by the engine. No foreign key: it outlives everything it was of.
create table removed_file_systems (
  id uuid primary key,
  engine text not null,
  host text,
  attempts integer not null default 0,
  next_try_at timestamptz not null default now()
);
create index removed_file_systems_due on removed_file_systems (next_try_at);

-- The simulated world's volumes: shared by all of its hosts, and like real ones they outlive the machines.
create table simulated.file_systems (
  id uuid primary key,
  name text not null,
  size_gb integer not null check (size_gb > 0),
  created_at timestamptz not null default now()
);

alter table simulated.behaviours
  drop constraint behaviours_operation_check,
  add constraint behaviours_operation_check check (operation in ('hosts', 'create', 'start', 'stop', 'remove', 'inspect',
    'list', 'remove-file-system', 'console-log', 'open-terminal'));
