-- A clock of transactions that outlives the cluster: ids of transactions begin anew in a new cluster, and events and
-- changes of hosts are ordered by them. `ahead` is what this database counts more than its cluster does; it only grows,
-- when a database was brought in from elsewhere (database/logical-clock.ts, which argues why it may). No row: 0.

create table logical_clock (
  one boolean primary key default true check (one),
  ahead bigint not null check (ahead >= 0)
);

-- Stable: it reads with the snapshot of the statement that calls it, which is taken after the statement has its locks.
create function logical_ahead() returns bigint language plpgsql stable as $$
begin
  return coalesce((select ahead from logical_clock), 0);
end $$;

-- The id of a transaction of this cluster, by that clock.
create function logical(id xid8) returns xid8 language sql stable
  return (id::text::bigint + logical_ahead())::text::xid8;

-- Everything before it has ended, and is seen by the statement that asks.
create function logical_horizon() returns xid8 language sql stable
  return logical(pg_snapshot_xmin(pg_current_snapshot()));

alter table events alter column tx set default logical(greatest(
  pg_current_xact_id(),
  (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8
));

alter table hosts alter column changed_in set default logical(pg_current_xact_id());
alter table removed_hosts alter column changed_in set default logical(pg_current_xact_id());

create or replace function hosts_note_change() returns trigger language plpgsql as $$
begin
  new.changed_in := logical(pg_current_xact_id());
  return new;
end $$;

create or replace function hosts_note_removal() returns trigger language plpgsql as $$
begin
  insert into removed_hosts (name) values (old.name)
  on conflict (name) do update set changed_in = logical(pg_current_xact_id());
  return old;
end $$;
