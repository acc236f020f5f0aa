-- What agents inside guests report (src/rules/guest-metrics.ts): opt-in per image. Points are packed
-- (src/rental/guest-metrics/packed.ts), and each is in one of these tables at any time. No foreign key to instances:
-- each row would be looked up, and the rows end by their age.

alter table images add column metrics boolean not null default false;

alter table instances
  -- Its image has an agent; as it was at launch.
  add column guest_metrics boolean not null default false;
create index instances_with_metrics on instances (engine) where guest_metrics and terminated_at is null;

-- Points of 15 seconds, of the last hour or two. The minute comes first, so that new rows are on few pages of the index,
-- and old ones leave whole pages.
create table guest_metrics_recent (
  -- Since 1970.
  minute integer not null,
  instance_id uuid not null,
  data bytea not null,
  primary key (minute, instance_id)
  -- Room for the points that are appended within the minute, on the same page.
) with (fillfactor = 35);

-- Points of one minute in chunks of an hour (level 1), of 15 minutes (level 2) and of an hour (level 3) in chunks of a
-- day (src/rental/guest-metrics/levels.ts).
create table guest_metrics (
  level smallint not null check (level between 1 and 3),
  -- Since 1970, in chunks of the level.
  chunk integer not null,
  instance_id uuid not null,
  data bytea not null,
  primary key (level, chunk, instance_id)
);

-- The server that reads the guests of an engine now. Two at once would do no harm.
create table guest_metric_collectors (
  engine text primary key,
  owner uuid not null,
  until timestamptz not null
);

-- Faults of GPUs by their guests' drivers (src/rules/xids.ts), each with its first and its last report.
create table instance_gpu_faults (
  instance_id uuid not null references instances on delete cascade,
  gpu smallint not null check (gpu >= 0),
  xid integer not null,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  primary key (instance_id, gpu, xid)
);
