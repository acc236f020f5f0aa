-- Accounts that want to be told when there is capacity for an instance type in a region, and where it is announced
-- (src/rental/capacity-notices).
create table capacity_notices (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  -- Not references: one that is deleted and made again is meant again. Null: every one.
  instance_type text,
  region text,
  created_at timestamptz not null default now(),
  unique nulls not distinct (account_id, instance_type, region)
);
-- Which accounts a change concerns.
create index capacity_notices_about on capacity_notices (instance_type, region);

-- What was announced, while there are notices. Without a row there is no capacity, and none was seen.
create table announced_capacity (
  -- The subject of its events.
  id uuid primary key default gen_random_uuid(),
  instance_type text not null,
  region text not null,
  is_available boolean not null,
  since timestamptz not null,
  -- Since when the opposite is seen without interruption; null: it is not.
  opposite_since timestamptz,
  unique (instance_type, region)
);
