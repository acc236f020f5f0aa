-- How long the last reset and the last validation of each GPU took: what estimates follow from of when others of its model
-- are back (src/rental/gpus/returning.ts). A table of its own, so that launches write no more of gpus than before. A row
-- changes under the lock of its host.
create table gpu_times (
  gpu_id uuid not null references gpus (id) on delete cascade,
  kind text not null check (kind in ('reset', 'validation')),
  model text not null,
  -- A reset from when it was due; a validation from when it began.
  seconds float8 not null check (seconds >= 0),
  ended_at timestamptz not null default now(),
  primary key (gpu_id, kind)
);
create index gpu_times_recent on gpu_times (model, kind, ended_at desc);
