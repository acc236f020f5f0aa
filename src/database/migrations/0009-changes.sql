-- Who has changed since when: what an answer that is kept in a server's memory is held against (src/rental/freshness.ts).
--
-- A row says: this transaction changed something that this account can list. It is written by triggers, so that no
-- writer can forget it, and each transaction has a row of its own, so nobody ever waits for another one here. The ids are
-- those of this cluster, for they are only compared with what a server of it remembers.

create table account_changes (
  account_id uuid not null,
  tx xid8 not null default pg_current_xact_id(),
  primary key (account_id, tx)
);

create function note_account_changes() returns trigger language plpgsql as $$
begin
  insert into account_changes (account_id) select distinct account_id from changed on conflict do nothing;
  return null;
end $$;

-- One for each kind of change, because what changed has another name in each.
do $$
declare
  listed text;
begin
  foreach listed in array array['instances', 'ssh_keys', 'file_systems'] loop
    execute format('create trigger %1$s_note_insert after insert on %1$I
      referencing new table as changed for each statement execute function note_account_changes()', listed);
    execute format('create trigger %1$s_note_update after update on %1$I
      referencing new table as changed for each statement execute function note_account_changes()', listed);
    execute format('create trigger %1$s_note_delete after delete on %1$I
      referencing old table as changed for each statement execute function note_account_changes()', listed);
  end loop;
end $$;

-- The same for what every account sees of the catalogue.
create table catalog_changes (
  tx xid8 primary key default pg_current_xact_id()
);

create function note_catalog_change() returns trigger language plpgsql as $$
begin
  insert into catalog_changes default values on conflict do nothing;
  return null;
end $$;

create trigger instance_types_note_change after insert or update or delete or truncate on instance_types
  for each statement execute function note_catalog_change();
create trigger regions_note_change after insert or update or delete or truncate on regions
  for each statement execute function note_catalog_change();
create trigger images_note_change after insert or update or delete or truncate on images
  for each statement execute function note_catalog_change();

-- A host that is gone is looked for by when it went.
create index removed_hosts_changed on removed_hosts (changed_in);
