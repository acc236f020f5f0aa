-- People sign in with OpenID Connect (src/rental/people/identities.ts).

-- Whose a subject of a provider is: never an email address alone.
create table identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null references people,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index identities_of_person on identities (person_id);

-- Sign-ins at a provider that have begun; deleted when the browser returns, so that each ends once.
create table sign_in_attempts (
  -- The SHA-256 of the cookie of the browser, from which state, nonce and code verifier derive.
  hash bytea primary key check (octet_length(hash) = 32),
  provider text not null,
  return_to text not null,
  expires_at timestamptz not null
);

alter table memberships
  -- The provider whose groups made it, which also changes and removes it; null: an invitation.
  add column provider text;

alter table console_sessions
  -- The provider that the person signed in with.
  add column provider text;
