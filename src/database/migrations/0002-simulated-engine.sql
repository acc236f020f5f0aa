-- The world of the simulated engine, in a schema of its own: as far from the rental's tables as a real engine would be,
-- and like a real one it goes on when the server crashes. Only src/engines/simulated/ reads or writes it.
--
-- A machine's state is a function of its row and the clock: `power` is where it goes, `settles_at` when it is there.

create schema simulated;

create table simulated.hosts (
  name text primary key,
  region text not null,
  vcpus integer not null check (vcpus >= 0),
  memory_gib integer not null check (memory_gib >= 0),
  storage_gb integer not null check (storage_gb >= 0),
  -- A host that is not alive answers nothing, and its machines neither.
  alive boolean not null default true
);

create table simulated.gpus (
  host text not null references simulated.hosts on delete cascade,
  address text not null,
  model text not null,
  memory_gib integer not null check (memory_gib > 0),
  numa_node integer not null default 0,
  healthy boolean not null default true,
  primary key (host, address)
);

-- 10.0.0.1 to 10.255.255.254, one after the other and then from the start again; `machines.ip` is unique, so an address
-- still in use when its turn comes again is passed over (machine-store.ts).
create sequence simulated.addresses minvalue 1 maxvalue 16777214 cycle;

-- No password and no env value is here, not even in a simulation: only whether there is one, and the names.
create table simulated.machines (
  id uuid primary key,
  host text not null references simulated.hosts,
  account_id uuid not null,
  generation bigint not null,
  vcpus integer not null,
  memory_gib integer not null,
  storage_gb integer not null,
  image text not null,
  hostname text not null,
  login_user text not null,
  ssh_keys text[] not null,
  password_login boolean not null,
  env_names text[] not null,
  file_systems text[] not null,
  ip inet not null unique default '10.0.0.0'::inet + nextval('simulated.addresses'),
  power text not null default 'off' check (power in ('on', 'off')),
  settles_at timestamptz not null default '-infinity',
  created_at timestamptz not null default now()
);
create index machines_on_host on simulated.machines (host);

-- A GPU passed through to a machine; a second machine cannot have it, as on real hardware.
create table simulated.gpu_uses (
  host text not null,
  address text not null,
  machine_id uuid not null references simulated.machines on delete cascade,
  primary key (host, address),
  foreign key (host, address) references simulated.gpus on delete cascade
);
create index gpu_uses_of_machine on simulated.gpu_uses (machine_id);

-- How the world misbehaves; empty in an ordinary one. The kinds and their parameters are in behaviours.ts.
create table simulated.behaviours (
  id bigint generated always as identity primary key,
  scope text not null check (scope in ('everything', 'host', 'machine')),
  -- The host's name or the machine's id.
  target text check ((target is null) = (scope = 'everything')),
  -- Null: every operation.
  operation text check (operation in ('hosts', 'create', 'start', 'stop', 'remove', 'inspect', 'list')),
  kind text not null,
  parameters jsonb not null default '{}',
  -- How many more calls it meets; null: all, until it is taken away.
  remaining integer check (remaining > 0),
  created_at timestamptz not null default now()
);
