-- Why a credit was given: only one for downtime says that a host was not reached.
alter table billing_credits
  add column reason text not null default 'downtime' check (reason in ('downtime', 'gpu-fault'));

-- A month can have a credit for a reported GPU and nothing else.
alter table statement_lines
  drop constraint statement_lines_seconds_check,
  add constraint statement_lines_seconds_check
    check (seconds >= 0 and (seconds + downtime_seconds > 0 or credit_micro_cents > 0));
