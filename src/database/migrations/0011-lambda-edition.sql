-- What the lambda edition knows of instances, types, images and audit events beyond the other interfaces.

-- A customer's own marks of an instance: a list of {key, value} in the order given, no key twice (rental/instances/tags.ts).
alter table instances
  add column tags jsonb not null default '[]' check (jsonb_typeof(tags) = 'array'),
  -- As its type says, frozen at launch.
  add column architecture text not null default 'x86_64' check (architecture in ('x86_64', 'arm64')),
  -- It runs, and has to be halted once before it is started: a reboot (rental/instances/lifecycle.ts).
  add column halt_first boolean not null default false,
  add constraint only_what_boots_halts_first check (not halt_first or state = 'booting');

alter table instance_types
  add column architecture text not null default 'x86_64' check (architecture in ('x86_64', 'arm64'));

alter table images
  add column architecture text not null default 'x86_64' check (architecture in ('x86_64', 'arm64')),
  add column version text not null default '',
  add column created_at timestamptz not null default now(),
  add column updated_at timestamptz not null default now();

-- How many of an entry's objects the request made: the last ones. Of older entries it is not known, and 0.
alter table audit_log add column made integer not null default 0 check (made between 0 and cardinality(objects));
