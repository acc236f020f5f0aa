-- Idle rules of instances (src/rules/idle.ts), and what was last seen of the use of their GPUs.

alter table instances
  add column idle_rule jsonb,
  drop constraint instances_ended_by_check,
  add constraint instances_ended_by_check
    check (ended_by in ('customer', 'operator', 'spend-limit', 'lifetime', 'failure', 'host-lost', 'idle'));

-- Of instances with a rule. A row that is missing is made by the next sample.
create table idle_watches (
  instance_id uuid primary key references instances on delete cascade,
  -- Since when no sample showed use; null: the last one did.
  idle_since timestamptz,
  sampled_at timestamptz not null,
  -- The rule was applied to this time without use.
  is_done boolean not null default false
);
