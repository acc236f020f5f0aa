-- Maintenance windows of hosts (src/rules/maintenance.ts): when, why, and what happens to the instances; the mode of a
-- host that has one, and the instances that were stopped for it.

alter table hosts
  drop constraint hosts_mode_check,
  add constraint hosts_mode_check check (mode in ('up', 'cordoned', 'draining', 'maintenance', 'lost'));

-- Ranges of names, only so that the constraint below can compare names: no type of the core does in a GiST index.
create type name_range as range (subtype = text, collation = "C");

create table maintenance_windows (
  id uuid primary key,
  -- Of the request that made it, with those of other hosts.
  group_id uuid not null,
  -- Its name: the window is readable when the host is gone.
  host text not null,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  reason text not null,
  mode text not null check (mode in ('stop', 'move', 'nothing')),
  phase text not null default 'scheduled' check (phase in ('scheduled', 'started', 'ended', 'canceled')),
  -- Increases with every change of it, so that of two operators who change it the second is told.
  revision integer not null default 1,
  -- The latest begin that customers can choose; null: none.
  deferrable_until timestamptz check (deferrable_until >= begins_at),
  deferred_by uuid references accounts,
  deferred_at timestamptz,
  created_by uuid not null references accounts,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  -- To what the host returns, since it started: mode, reason and operator.
  mode_before text check (mode_before in ('up', 'cordoned', 'draining')),
  mode_reason_before text,
  mode_by_before uuid references accounts,
  check (begins_at < ends_at),
  check ((phase = 'scheduled') = (started_at is null and ended_at is null)),
  check ((phase in ('ended', 'canceled')) = (ended_at is not null)),
  check ((started_at is null) = (mode_before is null)),
  -- Deferrable, because it holds after a statement, not after each of its rows.
  constraint maintenance_windows_apart exclude using gist (
    name_range(host, host, '[]') with &&, tstzrange(begins_at, ends_at) with &&
  ) where (phase in ('scheduled', 'started')) deferrable initially immediate
);
create index maintenance_windows_open on maintenance_windows (host, begins_at) where phase in ('scheduled', 'started');
create index maintenance_windows_of_host on maintenance_windows (host);
create index maintenance_windows_past on maintenance_windows (ended_at) where ended_at is not null;

-- The window for which it was stopped and after which it starts again; null once it or its account was heard otherwise.
alter table instances add column stopped_for uuid references maintenance_windows on delete set null;
create index instances_stopped_for on instances (stopped_for) where stopped_for is not null;
