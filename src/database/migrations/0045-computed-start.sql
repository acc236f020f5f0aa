-- When a launch of several instances that waits is expected to fit (src/rental/waiting/computed-start.ts): what surely ends
-- before may use what it waits for. Null: not known.
alter table waiting_launches add column starts_at timestamptz;
