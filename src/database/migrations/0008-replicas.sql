-- Which servers run on this database, and what they have agreed on about encryption keys.

-- A running server. One that was not seen for 15 seconds counts as gone (src/replicas/replica-store.ts).
create table replicas (
  id uuid primary key,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  version text not null,
  -- For people.
  host text not null,
  pid integer not null,
  -- The encryption keys it can open with, and the one it seals with.
  key_ids text[] not null,
  current_key_id text not null check (current_key_id = any (key_ids)),
  -- Since when no transaction of it begins that seals with another key. Null while it changes.
  sealing_since timestamptz
);

-- The keys that something may be sealed with. Entered before the first use, removed when nothing is left.
create table sealing_keys (
  id text primary key,
  since timestamptz not null default now()
);

-- The wish to re-encrypt everything, and how far it is.
create table key_rotations (
  id uuid primary key default gen_random_uuid(),
  asked_at timestamptz not null default now(),
  makes_key boolean not null,
  -- What sealed when it was asked for.
  former_key_id text not null,
  -- What everything is to be sealed with. Null until the new key is in use.
  key_id text,
  values_done bigint not null default 0,
  finished_at timestamptz,
  -- Why it waits, or what was left undone.
  problem text,
  check (makes_key or key_id is not null)
);
create unique index key_rotations_one_at_a_time on key_rotations ((true)) where finished_at is null;
