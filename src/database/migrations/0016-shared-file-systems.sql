-- A file system can be attached to several instances at once, where its storage allows that, and its use is measured.

-- Whether a file system on this host's storage can be attached to several instances at once. The next inventory says so.
alter table hosts add column multi_attach boolean not null default false;

-- The instances that have it. In the row itself, so that the conditional update which attaches is the judge of a race.
drop index file_systems_attached;
alter table file_systems drop constraint file_systems_attached_to_fkey;
alter table file_systems alter column attached_to type uuid[]
  using case when attached_to is null then '{}' else array[attached_to] end;
alter table file_systems
  alter column attached_to set default '{}',
  alter column attached_to set not null,
  -- Bytes on its storage, as its engine measured them last; null: not measured yet. `measured_at` null: to be measured.
  add column bytes_used bigint check (bytes_used >= 0),
  add column measured_at timestamptz;
create index file_systems_attached on file_systems using gin (attached_to) where attached_to <> '{}';
create index file_systems_to_measure on file_systems (engine) where engine is not null;

-- The simulated world says how much is on its volumes.
alter table simulated.file_systems add column bytes_used bigint not null default 0;
