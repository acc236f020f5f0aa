-- Who changed what, and what was refused. Written by rental/audit/record.ts only, one row for each changing request.
--
-- No foreign keys: an insert on the way of every launch should lock no row of the account, and what is told of a request
-- outlives whatever it was about. Ids are UUID v7, so an index by id is one by time, and a new row goes to its right end.

create table audit_log (
  id uuid primary key,
  at timestamptz not null default now(),
  -- Whose token asked.
  account_id uuid not null,
  token_id uuid not null,
  -- Of the account whose objects were changed, where that is another one: an operator's change is seen by both.
  changed_account_id uuid,
  address inet,
  interface text not null,
  operation text not null,
  method text not null,
  objects text[] not null,
  result text not null check (result in ('done', 'replayed', 'refused', 'failed')),
  status integer not null,
  error_code text,
  request_id text not null,
  check ((error_code is null) = (result in ('done', 'replayed')))
);
create index audit_log_of_account on audit_log (account_id, id);
create index audit_log_of_changed_account on audit_log (changed_account_id, id) where changed_account_id is not null;
-- For deleting the oldest: rows lie in the order of their time, so a few bytes for each 128 pages do.
create index audit_log_age on audit_log using brin (at);
