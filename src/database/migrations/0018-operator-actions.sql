-- Operators stop, reboot and terminate instances of every account, with a reason that the account reads.

alter table instances
  drop constraint instances_ended_by_check,
  add constraint instances_ended_by_check
    check (ended_by in ('customer', 'operator', 'spend-limit', 'lifetime', 'failure'));

-- Why it was done, where the request stated it.
alter table audit_log add column reason text;
