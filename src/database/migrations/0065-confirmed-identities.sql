-- Providers confirm again and again that their people still have access (src/rental/people/confirmations.ts).
alter table identities
  -- The id of the provider, in the settings, that the person signed in with last; null: not since then.
  add column provider text,
  add column refresh_sealed text,
  -- The access of the person ends then, unless the provider confirms it before.
  add column good_until timestamptz not null default now(),
  add column check_at timestamptz not null default now(),
  -- Whether its end was recorded as an event.
  add column is_suspended boolean not null default false,
  add column lease_owner uuid,
  add column lease_until timestamptz;
-- People who signed in before are not locked out at once.
update identities set good_until = now() + interval '24 hours';
create index identities_to_check on identities (check_at) where refresh_sealed is not null;
create index identities_to_suspend on identities (good_until) where not is_suspended;
