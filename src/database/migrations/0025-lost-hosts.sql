-- Hosts that an operator declares lost: a mode of its own, since when a host has been unreachable, the instances that
-- end with it, and the file systems that are lost with it.

create or replace function host_state(mode text, available boolean) returns text language sql immutable
  return case when mode = 'lost' then 'lost' when available then mode else 'unreachable' end;

alter table hosts
  drop constraint hosts_mode_check,
  add constraint hosts_mode_check check (mode in ('up', 'cordoned', 'draining', 'lost')),
  -- The last time that its engine reached it, while it does not; null while it does.
  add column unreachable_since timestamptz;
-- Outages that began before.
update hosts set unreachable_since = state_since where not available;
create index hosts_lost on hosts (engine) where mode = 'lost';
create index hosts_unreachable on hosts (engine) where unreachable_since is not null;

-- A lost host that was deleted is still one when it is discovered again.
alter table removed_hosts add column lost boolean not null default false;
create or replace function hosts_note_removal() returns trigger language plpgsql as $$
begin
  insert into removed_hosts (name, lost) values (old.name, old.mode = 'lost')
  on conflict (name) do update set changed_in = logical(pg_current_xact_id()), lost = excluded.lost;
  return old;
end $$;

alter table file_systems add column lost_at timestamptz;
create index file_systems_on_host on file_systems (host) where host is not null;

alter table instances
  drop constraint instances_ended_by_check,
  add constraint instances_ended_by_check
    check (ended_by in ('customer', 'operator', 'spend-limit', 'lifetime', 'failure', 'host-lost'));
