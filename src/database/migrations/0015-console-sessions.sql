-- Who is signed in to the web console: a browser shows a secret in a cookie, and this row says whose token it stands for.
-- Only the secret's SHA-256 is here, as with tokens. A session lasts no longer than its token: every look-up joins both.

create table console_sessions (
  id uuid primary key,
  hash bytea not null unique check (octet_length(hash) = 32),
  token_id uuid not null references tokens,
  created_at timestamptz not null default now(),
  -- To the minute.
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index console_sessions_of_token on console_sessions (token_id);
