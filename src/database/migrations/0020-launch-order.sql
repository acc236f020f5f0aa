-- Instances in order of launch, in a column of its own. New ids are random: clients shorten ids to their first eight digits,
-- which in the UUID v7 of before are time and alike for everything that is launched within a minute.

alter table instances add column position bigint;
-- Ids were in order of launch until now.
update instances set position = launched.position
from (select id, row_number() over (order by id) as position from instances) launched
where launched.id = instances.id;
alter table instances
  alter column position set not null,
  alter column position add generated always as identity;
select setval(pg_get_serial_sequence('instances', 'position'), coalesce(max(position), 0) + 1, false) from instances;

-- Lists are read in that order: an operator's, an account's, an account's without what is terminated.
create unique index instances_in_order on instances (position);
drop index instances_of_account;
create index instances_of_account on instances (account_id, position);
drop index instances_standing;
create index instances_standing on instances (account_id, position) where terminated_at is null;
