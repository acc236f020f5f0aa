// The tables of the bare launch floor, minimal for what a launch must record: its account, the capacity taken, the
// instance, its event, its idempotency key and its usage.

import { createHash } from "node:crypto";

export const POOLS = 1000;
export const floorToken = "lessor_floor-0123456789abcdefghijklmnopqrstuvwxyz";

export const hashOf = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest();

/** Recreates the tables. */
export const schema = `
  drop table if exists usage, events, idempotency_keys, instances, pools, tokens;
  create table tokens (id uuid primary key, account_id uuid not null, hash bytea not null unique, revoked_at timestamptz);
  create table pools (id integer primary key, free integer not null check (free >= 0)) with (fillfactor = 50);
  create table instances (id uuid primary key, account_id uuid not null, name text not null, type text not null,
    pool integer not null, state text not null, created_at timestamptz not null default now());
  create index on instances (account_id, id);
  create table events (position bigint generated always as identity primary key, account_id uuid not null,
    type text not null, subject_id uuid not null, data jsonb not null, created_at timestamptz not null default now());
  create table idempotency_keys (account_id uuid not null, key text not null, answer text not null,
    created_at timestamptz not null default now(), primary key (account_id, key));
  create table usage (instance_id uuid primary key, account_id uuid not null, started_at timestamptz not null,
    price_cents_per_hour integer not null);
  insert into tokens select gen_random_uuid(), gen_random_uuid(), decode('${hashOf(floorToken).toString("hex")}', 'hex');
  insert into pools select n, 1000000000 from generate_series(0, ${POOLS - 1}) n;
`;

/**
 * A launch: $1 the token's hash, $2 a pool, $3 the Idempotency-Key, $4 the instance's id, $5 its name, $6 its type,
 * $7 the response to cache. No row: unknown token, or no capacity. A repeated idempotency key is a unique violation.
 */
export const launchStatement = `
  with token as (
    select account_id from tokens where hash = $1 and revoked_at is null
  ), place as (
    update pools set free = free - 1 from token where pools.id = $2 and free >= 1 returning pools.id
  ), instance as (
    insert into instances (id, account_id, name, type, pool, state)
    select $4, token.account_id, $5, $6, place.id, 'booting' from token, place
    returning id, account_id, name, type
  ), event as (
    insert into events (account_id, type, subject_id, data)
    select account_id, 'instance.booting', id, jsonb_build_object('name', name, 'type', type) from instance
  ), kept as (
    insert into idempotency_keys (account_id, key, answer) select account_id, $3, $7 from instance
  ), used as (
    insert into usage (instance_id, account_id, started_at, price_cents_per_hour)
    select id, account_id, now(), 249 from instance
  )
  select id from instance`;
