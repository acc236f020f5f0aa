-- Hosts that are verified to be off, and file systems that a lost host may still use.

alter table hosts
  -- Since when it is verified to be off; null: it is not. Reaching it ends that.
  add column off_since timestamptz;

-- The lost host that may still run an instance which uses it, until that host is verified to be off, or has returned.
alter table file_systems add column blocked_by text;
create index file_systems_blocked on file_systems (blocked_by) where blocked_by is not null;
