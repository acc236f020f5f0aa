-- Problems of hosts that respond (src/rules/host-health.ts), and the outages of each host, from which its
-- availability follows.

-- At most one finding of each code.
create table host_findings (
  host text not null references hosts on delete cascade,
  code text not null,
  severity text not null check (severity in ('warning', 'critical')),
  message text not null,
  -- Since when it has this severity.
  since timestamptz not null default now(),
  primary key (host, code)
);

-- When the daemon of a host restarted, as far as its engine noticed.
create table host_restarts (
  host text not null references hosts on delete cascade,
  restarted_at timestamptz not null,
  primary key (host, restarted_at)
);

-- Outages that ended: the times between which its engine did not reach the host. The one in progress is
-- hosts.unreachable_since.
create table host_outages (
  host text not null references hosts on delete cascade,
  began_at timestamptz not null,
  ended_at timestamptz not null check (ended_at >= began_at),
  primary key (host, began_at)
);
create index host_outages_ended on host_outages (ended_at);

alter table hosts
  -- The run of the daemon that its engine saw last, such as a process id; null: it tells none.
  add column daemon_run text,
  -- Since when its outages are known.
  add column known_since timestamptz not null default now();
create index hosts_daemon_run on hosts (engine) where daemon_run is not null;
