-- Firewall rules: what may come in to an account's instances (rental/firewall).

-- The account's own, which hold for all of its instances. No row: the default, by which everything comes in.
create table firewall_rules (
  account_id uuid primary key references accounts,
  -- Rules of rental/firewall/rules.ts, in the order given.
  rules jsonb not null,
  changed_at timestamptz not null default now()
);

-- Sets of rules that an instance is launched with, in one region. Its description is as it was when the set was made.
create table firewall_rulesets (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null,
  region text not null references regions,
  region_description text not null,
  rules jsonb not null,
  created_at timestamptz not null default now()
);
create index firewall_rulesets_of_account on firewall_rulesets (account_id, id);
create index firewall_rulesets_of_region on firewall_rulesets (region);

-- The sets an instance was launched with: no foreign key, because it goes on showing them when both have ended.
-- The rules that hold for it have changed so often since its launch, and so many of these changes its machine has.
alter table instances
  add column firewall_ruleset_ids uuid[] not null default '{}',
  add column firewall_wished bigint not null default 0,
  add column firewall_applied bigint not null default 0;

-- Answers that show rules are kept too (migration 0009).
do $$
declare
  listed text;
begin
  foreach listed in array array['firewall_rules', 'firewall_rulesets'] loop
    execute format('create trigger %1$s_note_insert after insert on %1$I
      referencing new table as changed for each statement execute function note_account_changes()', listed);
    execute format('create trigger %1$s_note_update after update on %1$I
      referencing new table as changed for each statement execute function note_account_changes()', listed);
    execute format('create trigger %1$s_note_delete after delete on %1$I
      referencing old table as changed for each statement execute function note_account_changes()', listed);
  end loop;
end $$;

-- What the simulated world was told; null: everything comes in.
alter table simulated.machines add column inbound jsonb;

alter table simulated.behaviours
  drop constraint behaviours_operation_check,
  add constraint behaviours_operation_check check (operation in ('hosts', 'create', 'start', 'stop', 'remove', 'inspect',
    'list', 'set-inbound', 'remove-file-system', 'console-log', 'open-terminal'));
