-- Launches that wait until they can be placed (src/rental/waiting). Their lines: waiting launches of one line need the same
-- of a host, so that who launches looks at the first of each line only (src/rental/capacity/line.ts).
create table launch_lines (
  id uuid primary key default gen_random_uuid(),
  -- Not a reference: the type may be deleted while a launch waits, which is refused then.
  instance_type text not null,
  -- Null: any.
  region text,
  -- Which hosts of the region, as HostBound of src/rental/capacity/host-order.ts.
  bound jsonb not null default '{}',
  unique nulls not distinct (instance_type, region, bound)
);

create sequence waiting_launch_turns;
create table waiting_launches (
  id uuid primary key,
  -- The order in which they are placed, by default that of arrival (src/rental/waiting/position.ts). Without an index of its
  -- own, in which the first of a line would be looked for among all that are over.
  position bigint not null default (nextval('waiting_launch_turns') << 20),
  account_id uuid not null references accounts (id),
  -- Whose rights and limits count when it is placed.
  token_id uuid not null references tokens (id),
  line_id uuid not null references launch_lines (id),
  state text not null default 'waiting' check (state in ('waiting', 'placed', 'expired', 'cancelled', 'refused')),
  instance_type text not null,
  region text,
  quantity integer not null check (quantity > 0),
  max_price_cents_per_hour integer,
  -- The order, with its secrets, encrypted. Null once it is over.
  order_sealed text,
  wait_until timestamptz not null,
  -- What it waits for, and in words.
  blocked_by text not null check (blocked_by in ('capacity', 'fleet', 'quota', 'spend-limit', 'price')),
  blocked_message text not null,
  -- Why it was refused, in words.
  reason text,
  instance_ids uuid[] not null default '{}',
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- Until then, only a wake-up tries it.
  next_try_at timestamptz not null default now(),
  check ((state = 'waiting') = (ended_at is null)),
  check ((state = 'waiting') = (order_sealed is not null)),
  check ((state = 'refused') = (reason is not null)),
  check ((state = 'placed') = (instance_ids <> '{}'))
);
-- The first of each line that nothing but capacity blocks: those that hold the line.
create index waiting_launches_holding on waiting_launches (line_id, position)
  where state = 'waiting' and blocked_by = 'capacity';
create index waiting_launches_blocked on waiting_launches (next_try_at)
  where state = 'waiting' and blocked_by <> 'capacity';
create index waiting_launches_until on waiting_launches (wait_until) where state = 'waiting';
create index waiting_launches_of_account on waiting_launches (account_id, position);
create index waiting_launches_of_token on waiting_launches (token_id);
create index waiting_launches_over on waiting_launches (ended_at) where state <> 'waiting';

-- What the lists of instance types show as free is without what is kept for the first of each line.
create trigger note_catalog_change after insert or delete on waiting_launches
  for each statement execute function note_catalog_change();
create trigger note_catalog_change_of_line after update on waiting_launches for each row
  when ((new.state, new.blocked_by, new.line_id) is distinct from (old.state, old.blocked_by, old.line_id))
  execute function note_catalog_change();
create trigger note_catalog_change after insert or update or delete on launch_lines
  for each statement execute function note_catalog_change();

-- A host is kept for a launch that fits nowhere yet. By position, because only those behind it are kept off.
alter table hosts
  add column earmarked_for uuid,
  add column earmark_position bigint,
  -- When the launch is expected to fit there; null: not known.
  add column earmark_from timestamptz,
  add check ((earmarked_for is null) = (earmark_position is null));
create index hosts_earmarked on hosts (earmarked_for) where earmarked_for is not null;

-- Whatever gives launches room changes a row of hosts, and so does what takes it, which wakes none. By index: those that
-- wait are the last rows of the table.
create function wake_waiting_launches() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (select from waiting_launches where state = 'waiting') then
    perform pg_notify('lessor_work', 'launches');
  end if;
  return null;
end
$$;
create trigger wake_waiting_launches_new after insert on hosts for each row execute function wake_waiting_launches();
-- The fleet has become larger, in which more may fit than before.
create function retry_launches_of_fleet() returns trigger language plpgsql as $$
begin
  update waiting_launches set next_try_at = now() where state = 'waiting' and blocked_by = 'fleet';
  if found then perform pg_notify('lessor_work', 'launches'); end if;
  return null;
end
$$;
create trigger retry_launches_of_fleet_host after insert on hosts for each row execute function retry_launches_of_fleet();
create trigger retry_launches_of_fleet after insert on gpu_pools for each row execute function retry_launches_of_fleet();
create trigger wake_waiting_launches after update on hosts for each row
  when (new.free_vcpus >= old.free_vcpus and new.earmarked_for is not distinct from old.earmarked_for)
  execute function wake_waiting_launches();

-- What something else than capacity blocks is tried again when that has changed.
create index waiting_launches_blocked_of_account on waiting_launches (account_id)
  where state = 'waiting' and blocked_by <> 'capacity';

create function retry_blocked_launches(of_account uuid) returns void language plpgsql as $$
begin
  update waiting_launches set next_try_at = now()
  where account_id = of_account and state = 'waiting' and blocked_by <> 'capacity';
  if found then perform pg_notify('lessor_work', 'launches'); end if;
end
$$;

-- Of an account's, those that its quotas have room for now: in order of arrival, as many as fit together.
create function retry_launches_within_quota(of_account uuid) returns void language plpgsql as $$
begin
  update waiting_launches set next_try_at = now()
  from (
    select w.id, sum(w.quantity) over fitting as instances, sum(w.quantity * t.gpus) over fitting as gpus,
      sum(w.quantity * t.vcpus) over fitting as vcpus, a.quota_instances - a.used_instances as free_instances,
      a.quota_gpus - a.used_gpus as free_gpus, a.quota_vcpus - a.used_vcpus as free_vcpus
    from waiting_launches w join accounts a on a.id = w.account_id join instance_types t on t.name = w.instance_type
    where w.account_id = of_account and w.state = 'waiting' and w.blocked_by = 'quota'
      and w.quantity <= a.quota_instances - a.used_instances
      and (t.gpus = 0 or w.quantity * t.gpus <= a.quota_gpus - a.used_gpus)
      and w.quantity * t.vcpus <= a.quota_vcpus - a.used_vcpus
    window fitting as (order by w.position)
  ) fit
  where waiting_launches.id = fit.id
    and fit.instances <= free_instances and (fit.gpus = 0 or fit.gpus <= free_gpus) and fit.vcpus <= free_vcpus;
  if found then perform pg_notify('lessor_work', 'launches'); end if;
end
$$;

create function retry_launches_of_account() returns trigger language plpgsql as $$
begin
  if new.spend_limit_cents is distinct from old.spend_limit_cents then
    perform retry_blocked_launches(new.id);
  else
    perform retry_launches_within_quota(new.id);
  end if;
  return null;
end
$$;
create trigger retry_launches_of_account after update on accounts for each row
  when (new.quota_instances > old.quota_instances or new.quota_gpus > old.quota_gpus or new.quota_vcpus > old.quota_vcpus
    or new.used_instances < old.used_instances or new.used_gpus < old.used_gpus or new.used_vcpus < old.used_vcpus
    or new.spend_limit_cents is distinct from old.spend_limit_cents)
  execute function retry_launches_of_account();

create function retry_launches_of_token() returns trigger language plpgsql as $$
begin
  perform retry_blocked_launches(new.account_id);
  return null;
end
$$;
create trigger retry_launches_of_token after update of spend_limit_cents on tokens for each row
  when (new.spend_limit_cents is distinct from old.spend_limit_cents)
  execute function retry_launches_of_token();

create function retry_launches_of_type() returns trigger language plpgsql as $$
begin
  -- A higher price is told too: the first of a line is tried though hosts have no room for it.
  update waiting_launches set next_try_at = now() where instance_type = new.name and state = 'waiting';
  if found then perform pg_notify('lessor_work', 'launches'); end if;
  return null;
end
$$;
create trigger retry_launches_of_type after insert or update on instance_types for each row
  execute function retry_launches_of_type();
