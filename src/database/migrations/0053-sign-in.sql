-- People sign in to the console by a link that is sent by email (src/rental/people/sign-in-links.ts).

alter table tokens
  -- With it the sessions of a person who signed in act. Its secret was dropped when it was created.
  add column signed_in boolean not null default false,
  add check (not signed_in or (person_id is not null and expires_at is null));
create unique index tokens_signed_in on tokens (account_id, person_id) where signed_in and revoked_at is null;

alter table console_sessions
  -- The address that was proved at sign-in, in lower case; null: signed in with a token.
  add column by_email text,
  -- Where it was opened: client address and User-Agent.
  add column address text,
  add column user_agent text;
create index console_sessions_by_email on console_sessions (by_email) where by_email is not null;

create index people_of_address on people (lower(email));

-- At most one open link of an address, in lower case; deleted when it is used.
create table sign_in_links (
  id uuid primary key,
  email text not null unique,
  hash bytea not null unique check (octet_length(hash) = 32),
  -- Of the cookie of the browser that requested it.
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  expires_at timestamptz not null
);

-- Requests for links, of known and unknown addresses alike, within an hour.
create table sign_in_requests (
  -- The SHA-256 of whose they are: an email address, a client address, or all.
  key bytea primary key check (octet_length(key) = 32),
  since timestamptz not null,
  requests integer not null
);
