-- The rental: accounts, catalogue, capacity, instances, money, events.
-- The database decides every race: unique names, `free between 0 and total`, one holder per GPU, one open span per instance.

create table settings (
  name text primary key,
  value jsonb not null
);

-- Accounts -----------------------------------------------------------------------------------------------------------

create table accounts (
  id uuid primary key,
  name text not null unique,
  status text not null default 'active' check (status in ('active', 'inactive')),
  quota_instances integer not null check (quota_instances >= 0),
  quota_gpus integer not null check (quota_gpus >= 0),
  quota_vcpus integer not null check (quota_vcpus >= 0),
  quota_ssh_keys integer not null check (quota_ssh_keys >= 0),
  quota_file_systems integer not null check (quota_file_systems >= 0),
  -- In use now. A quota may be lowered below what is in use, so these are bounded only from below.
  used_instances integer not null default 0 check (used_instances >= 0),
  used_gpus integer not null default 0 check (used_gpus >= 0),
  used_vcpus integer not null default 0 check (used_vcpus >= 0),
  used_ssh_keys integer not null default 0 check (used_ssh_keys >= 0),
  used_file_systems integer not null default 0 check (used_file_systems >= 0),
  spend_limit_cents bigint check (spend_limit_cents >= 0),
  created_at timestamptz not null default now()
);

create table tokens (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null,
  hash bytea not null unique,
  scopes text[] not null check (scopes <@ array['read', 'write', 'operator'] and cardinality(scopes) > 0),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index tokens_of_account on tokens (account_id, id);

-- Catalogue ----------------------------------------------------------------------------------------------------------

create table regions (
  name text primary key,
  description text not null
);

create table instance_types (
  name text primary key,
  description text not null,
  gpu_model text,
  gpu_description text not null,
  gpus integer not null check (gpus >= 0),
  vcpus integer not null check (vcpus > 0),
  memory_gib integer not null check (memory_gib > 0),
  storage_gb integer not null check (storage_gb > 0),
  price_cents_per_hour integer not null check (price_cents_per_hour >= 0),
  check ((gpus = 0) = (gpu_model is null))
);

create table images (
  name text primary key,
  number integer not null unique check (number > 0),
  description text not null,
  family text not null,
  login_user text not null,
  unsupported_gpu_models text[] not null default '{}',
  jupyter boolean not null default false,
  is_default boolean not null default false
);
create unique index one_default_image on images (is_default) where is_default;

create table coupons (
  code text primary key,
  discount_basis_points integer not null check (discount_basis_points between 1 and 10000),
  deactivation_date timestamptz not null,
  instance_types text[] not null default '{}',
  active boolean not null default true
);

-- Instances ----------------------------------------------------------------------------------------------------------
-- A row is self-contained: product, image, region and price are frozen at launch, so a later change of the catalogue
-- never rewrites a rental. It is also the job of fulfilment (design: the instance row is the job).

create table instances (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null,
  hostname text not null,
  state text not null check (state in ('booting', 'active', 'stopping', 'stopped', 'terminating', 'terminated')),
  health text not null default 'ok' check (health in ('ok', 'unreachable')),
  progress text,
  failure_code text,
  failure_message text,
  region text not null,
  region_description text not null,
  instance_type text not null,
  type_description text not null,
  gpu_model text,
  gpu_description text not null,
  gpus integer not null check (gpus >= 0),
  vcpus integer not null check (vcpus > 0),
  memory_gib integer not null check (memory_gib > 0),
  storage_gb integer not null check (storage_gb > 0),
  price_cents_per_hour integer not null check (price_cents_per_hour >= 0),
  coupon_code text,
  discount_basis_points integer not null default 0 check (discount_basis_points between 0 and 10000),
  image_name text not null,
  image_number integer not null,
  image_description text not null,
  login_user text not null,
  ssh_keys jsonb not null,
  file_system_names text[] not null default '{}',
  command text,
  env_vars_sealed text,
  password_sealed text,
  jupyter_token_sealed text,
  engine text not null,
  host text not null,
  gpu_addresses text[] not null default '{}',
  ip text,
  -- fulfilment
  generation bigint not null default 1,
  fulfilled_generation bigint not null default 0,
  wished_at timestamptz not null default now(),
  next_look_at timestamptz default now(),
  lease_owner uuid,
  lease_until timestamptz,
  attempts integer not null default 0,
  -- history
  created_at timestamptz not null default now(),
  active_at timestamptz,
  terminating_at timestamptz,
  terminated_at timestamptz,
  check ((state = 'terminated') = (terminated_at is not null)),
  check (state not in ('terminating', 'terminated') or terminating_at is not null),
  check ((failure_code is null) = (failure_message is null))
);
create index instances_of_account on instances (account_id, id);
-- Lists of M and R: what stands, and what was terminated a short while ago, however long the account's history is.
create index instances_standing on instances (account_id, id) where terminated_at is null;
create index instances_terminated on instances (account_id, terminated_at) where terminated_at is not null;
create index instances_due on instances (next_look_at) where next_look_at is not null;
create index instances_on_host on instances (host) where state <> 'terminated';

-- Capacity -----------------------------------------------------------------------------------------------------------
-- Who holds the host row's lock owns its capacity: gpu_pools and gpus of a host change only under it.

create table hosts (
  name text primary key,
  engine text not null,
  region text not null references regions,
  vcpus integer not null check (vcpus >= 0),
  memory_gib integer not null check (memory_gib >= 0),
  storage_gb integer not null check (storage_gb >= 0),
  free_vcpus integer not null check (free_vcpus between 0 and vcpus),
  free_memory_gib integer not null check (free_memory_gib between 0 and memory_gib),
  free_storage_gb integer not null check (free_storage_gb between 0 and storage_gb),
  cordoned boolean not null default false,
  available boolean not null default true,
  -- The transaction that last changed the row: how capacity/mirror.ts reads only what changed since it last looked.
  changed_in xid8 not null default pg_current_xact_id()
);
create index hosts_by_region on hosts (region);
create index hosts_changed on hosts (changed_in);

create function hosts_note_change() returns trigger language plpgsql as $$
begin
  new.changed_in := pg_current_xact_id();
  return new;
end $$;
create trigger hosts_note_change before update on hosts for each row execute function hosts_note_change();

-- A host that is gone has no row to say so; the mirror learns it here.
create table removed_hosts (
  name text primary key,
  changed_in xid8 not null default pg_current_xact_id()
);

create function hosts_note_removal() returns trigger language plpgsql as $$
begin
  insert into removed_hosts (name) values (old.name)
  on conflict (name) do update set changed_in = pg_current_xact_id();
  return old;
end $$;
create trigger hosts_note_removal after delete on hosts for each row execute function hosts_note_removal();

create table gpu_pools (
  host text not null references hosts on delete cascade,
  model text not null,
  total integer not null check (total >= 0),
  free integer not null check (free between 0 and total),
  primary key (host, model)
);
create index gpu_pools_by_model on gpu_pools (model, free);

create table gpus (
  host text not null references hosts on delete cascade,
  address text not null,
  model text not null,
  memory_gib integer not null check (memory_gib > 0),
  numa_node integer not null default 0,
  healthy boolean not null default true,
  instance_id uuid references instances deferrable initially deferred,
  primary key (host, address)
);
create index gpus_of_instance on gpus (instance_id) where instance_id is not null;

-- What an account owns besides machines ------------------------------------------------------------------------------

create table ssh_keys (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null,
  kind text not null,
  base64 text not null,
  comment text not null default '',
  fingerprint text not null,
  created_at timestamptz not null default now(),
  unique (account_id, name)
);

create table file_systems (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null,
  region text not null references regions,
  size_gb integer not null check (size_gb > 0),
  attached_to uuid references instances deferrable initially deferred,
  created_at timestamptz not null default now(),
  unique (account_id, name)
);
create index file_systems_attached on file_systems (attached_to) where attached_to is not null;

-- Money --------------------------------------------------------------------------------------------------------------

create table billing_spans (
  id bigint generated always as identity primary key,
  instance_id uuid not null references instances,
  account_id uuid not null references accounts,
  started_at timestamptz not null,
  ended_at timestamptz check (ended_at >= started_at),
  price_cents_per_hour integer not null,
  discount_basis_points integer not null,
  coupon_code text
);
-- A span opens once in an instance's life (it runs from first active to the terminate request, stopped time included).
create unique index one_span_per_instance on billing_spans (instance_id);
create index billing_spans_of_account on billing_spans (account_id, id);

-- Events -------------------------------------------------------------------------------------------------------------
-- `tx` and `position` together order events so that a reader never misses one: it reads only what lies before the oldest
-- transaction still running (events/event-store.ts, which argues why `tx` is the later of two ids).

create table events (
  position bigint generated always as identity primary key,
  tx xid8 not null default greatest(
    pg_current_xact_id(),
    (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8
  ),
  id uuid not null unique default gen_random_uuid(),
  account_id uuid not null references accounts,
  type text not null,
  subject_id uuid not null,
  data jsonb not null,
  created_at timestamptz not null default now()
);
create index events_of_account on events (account_id, tx, position);

-- Idempotency --------------------------------------------------------------------------------------------------------
-- Key and effect are one transaction. What tells requests apart is sealed together with the answer: a hash of a body in
-- the open would let a reader of the database guess env values, and an answer may hold what is shown only once.

create table idempotency_keys (
  account_id uuid not null references accounts,
  key text not null,
  -- Of the token that made the request; one that may do less does not get the answer.
  scopes text[] not null,
  answer_sealed text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
