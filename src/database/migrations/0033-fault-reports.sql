-- Faults of GPUs that customers report (src/rental/gpus/fault-reports.ts).

-- When one was reported first.
alter table instances add column fault_reported_at timestamptz;
create index instances_with_reported_faults on instances (account_id, fault_reported_at) where fault_reported_at is not null;
