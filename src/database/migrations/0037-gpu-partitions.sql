-- NVSwitch partitions: the sets of GPUs that the fabric manager of a host predefines, and which of them are active for
-- whom (src/rental/gpus/partitions). Of a host whose helper reports none there is only a row of gpu_fabrics. All of it
-- changes under the lock of the host's row.

-- Of each host that has GPUs.
create table gpu_fabrics (
  host text primary key references hosts on delete cascade,
  -- Of the fabric manager, as the helper prints it; null: there is none, or it was not read yet.
  version text,
  -- The driver branch of that version, such as 570; null: not known.
  branch text generated always as (nullif(split_part(version, '.', 1), 'unknown')) stored,
  -- When the partitions were read last; null: never.
  read_at timestamptz,
  -- They are to be read before anything relies on them: the host, the service or the helper restarted or contradicts.
  -- A reading answers the requests that came before it began.
  read_requests bigint not null default 1,
  read_answered bigint not null default 0,
  read_due boolean not null generated always as (read_answered < read_requests) stored,
  -- When there is work; null: none.
  due_at timestamptz default now(),
  -- Until then the process that claimed it last works on it.
  leased_until timestamptz not null default now(),
  claims bigint not null default 0,
  -- Of its reading, in vain.
  failures integer not null default 0
);
create index gpu_fabrics_due on gpu_fabrics (due_at) where due_at is not null;
insert into gpu_fabrics (host) select distinct host from gpu_pools;

create table gpu_partitions (
  host text not null references gpu_fabrics on delete cascade,
  -- The fabric manager's own.
  id text not null,
  -- Its GPUs, found by module id, in order.
  addresses text[] not null check (cardinality(addresses) > 0),
  size integer not null generated always as (cardinality(addresses)) stored,
  -- The instance or the validation that has exactly these GPUs; null: none. Follows gpus by a trigger.
  wanted_for uuid,
  -- For whom it is active, or might be: set before the fabric manager is asked; null: the service made it active for none.
  active_for uuid,
  -- Whether the fabric manager says that it is active; null: it was asked to change it, and has not answered.
  reported boolean,
  asked text check (asked in ('activate', 'deactivate')),
  asked_at timestamptz,
  -- Of what it was asked last, in vain.
  failures integer not null default 0,
  next_try_at timestamptz not null default now(),
  primary key (host, id),
  unique (host, addresses)
);
create index gpu_partitions_wanted on gpu_partitions (wanted_for) where wanted_for is not null;

-- The GPUs of partitions that are active for somebody: no GPU is in two.
create table active_gpus (
  host text not null,
  address text not null,
  partition text not null,
  primary key (host, address),
  foreign key (host, partition) references gpu_partitions (host, id) on delete cascade
);

create function gpu_partitions_disjoint() returns trigger language plpgsql as $$
begin
  if new.active_for is null then
    delete from active_gpus where host = new.host and partition = new.id;
  elsif tg_op = 'INSERT' or old.active_for is null then
    insert into active_gpus (host, address, partition) select new.host, address, new.id from unnest(new.addresses) address;
  end if;
  return null;
end $$;
create trigger gpu_partitions_active after insert on gpu_partitions
  for each row when (new.active_for is not null) execute function gpu_partitions_disjoint();
create trigger gpu_partitions_disjoint after update of active_for on gpu_partitions
  for each row when (old.active_for is distinct from new.active_for) execute function gpu_partitions_disjoint();

-- By size, how many more instances fit; null: the host has no partitions of such GPUs, and any of them fit together.
alter table gpu_pools add column fits jsonb;

create function gpu_fits(host_name text, model_name text) returns jsonb language sql stable as $$
  select jsonb_object_agg(size, fits) from (
    select p.size, count(*) filter (where p.size = (
      select count(*) from gpus g where g.host = p.host and g.address = any(p.addresses) and g.model = model_name
        and g.state = 'free' and g.healthy)) as fits
    from gpu_partitions p
    where p.host = host_name and exists (
      select from gpus g where g.host = p.host and g.address = any(p.addresses) and g.model = model_name)
    group by p.size) sizes
$$;

create function gpu_pools_refit(names text[]) returns void language sql as $$
  update gpu_pools p set fits = now.fits
  from (select host, model, gpu_fits(host, model) as fits from gpu_pools where host = any(names)) now
  where p.host = now.host and p.model = now.model and p.fits is distinct from now.fits
$$;

-- Who has exactly the GPUs of which partition.
create function gpu_partitions_follow(names text[]) returns void language plpgsql as $$
declare
  changed text[];
begin
  with held as (
    select host, holder, array_agg(address order by address collate "C") as addresses
    from (select host, address, coalesce(instance_id, validation_id) as holder from gpus where host = any(names)) g
    where holder is not null group by host, holder
  ), followed as (
    update gpu_partitions p set wanted_for = now.holder, failures = 0, next_try_at = now()
    from (
      select q.host, q.id, held.holder from gpu_partitions q
      left join held on held.host = q.host and held.addresses = q.addresses where q.host = any(names)) now
    where p.host = now.host and p.id = now.id and p.wanted_for is distinct from now.holder
    returning p.host
  )
  select array_agg(distinct host) into changed from followed;
  if changed is null then return; end if;
  update gpu_fabrics set due_at = now() where host = any(changed);
  perform pg_notify('lessor_work', 'gpus');
end $$;

-- Each statement that changes GPUs of a host with partitions. Most hosts have none.
create function gpus_in_partitions() returns trigger language plpgsql as $$
declare
  names text[];
begin
  if not exists (select from gpu_partitions) then return null; end if;
  select array_agg(distinct c.host) into names from changed c
  where exists (select from gpu_partitions p where p.host = c.host);
  if names is null then return null; end if;
  perform gpu_partitions_follow(names);
  perform gpu_pools_refit(names);
  return null;
end $$;
create trigger gpus_in_partitions_insert after insert on gpus
  referencing new table as changed for each statement execute function gpus_in_partitions();
create trigger gpus_in_partitions_update after update on gpus
  referencing new table as changed for each statement execute function gpus_in_partitions();
create trigger gpus_in_partitions_delete after delete on gpus
  referencing old table as changed for each statement execute function gpus_in_partitions();

-- A pool is counted after its GPUs are stored; and a host whose GPUs are new is read.
create function gpu_pools_arrive() returns trigger language plpgsql as $$
begin
  insert into gpu_fabrics (host) values (new.host)
  on conflict (host) do update set read_requests = gpu_fabrics.read_requests + 1, due_at = now();
  if exists (select from gpu_partitions p where p.host = new.host) then
    perform gpu_pools_refit(array[new.host]);
  end if;
  return null;
end $$;
create trigger gpu_pools_arrive after insert on gpu_pools for each row execute function gpu_pools_arrive();

-- After a restart of a host, and after it was not reached, what was known of its partitions is not relied on.
create function gpu_fabrics_reread() returns trigger language plpgsql as $$
begin
  -- One without partitions gets some at a restart at most: a host that flaps costs nothing.
  update gpu_fabrics f set read_requests = read_requests + 1, due_at = now() where f.host = new.name
    and (old.daemon_run is distinct from new.daemon_run
      or exists (select from gpu_partitions p where p.host = f.host));
  return null;
end $$;
create trigger gpu_fabrics_reread after update of daemon_run, available on hosts
  for each row when (old.daemon_run is distinct from new.daemon_run or (new.available and not old.available))
  execute function gpu_fabrics_reread();

-- The driver branch that an image needs on hosts with a fabric manager; null: it runs with each.
alter table images add column driver_branch text check (driver_branch ~ '^[0-9]{1,6}$');

-- Partitions of simulated hosts, which refer to module ids.
alter table simulated.gpus add column module_id integer;
create table simulated.partitions (
  host text not null references simulated.hosts on delete cascade,
  id text not null,
  modules integer[] not null,
  active boolean not null default false,
  primary key (host, id)
);
