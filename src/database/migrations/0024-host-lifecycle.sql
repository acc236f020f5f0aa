-- The lifecycle of hosts (src/rules/host-lifecycle.ts): what operators decide, with reason, actor and time, and from it
-- and the engine's report the state of a host. Notes and labels for operators. Events of hosts, which belong to no
-- account.

create function host_state(mode text, available boolean) returns text language sql immutable
  return case when available then mode else 'unreachable' end;

alter table hosts
  add column id uuid not null unique default gen_random_uuid(),
  add column mode text not null default 'up' check (mode in ('up', 'cordoned', 'draining')),
  -- Of the mode: why, and the account of the operator who decided it. Null: none has.
  add column mode_reason text,
  add column mode_by uuid references accounts,
  add column state_since timestamptz not null default now(),
  add column note text not null default '',
  add column labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object');
update hosts set mode = 'cordoned' where cordoned;
alter table hosts drop column cordoned;
alter table hosts
  add column state text not null generated always as (host_state(mode, available)) stored,
  -- Servers of the version before still read it.
  add column cordoned boolean not null generated always as (mode <> 'up') stored;

create or replace function hosts_note_change() returns trigger language plpgsql as $$
begin
  new.changed_in := logical(pg_current_xact_id());
  if host_state(new.mode, new.available) <> host_state(old.mode, old.available) then
    new.state_since := now();
  end if;
  return new;
end $$;

alter table events alter column account_id drop not null;
