-- People, the teams (accounts) that they are in, each with a role, and invitations (src/rules/roles.ts, src/rental/people).

-- Addresses are not unique: only a person's own token shows that an invitation is for that person.
create table people (
  id uuid primary key,
  name text not null,
  email text not null,
  created_at timestamptz not null default now()
);

-- Rows are inserted, changed and deleted under the lock of the account's row, so that a team keeps an owner.
create table memberships (
  account_id uuid not null references accounts,
  person_id uuid not null references people,
  role text not null check (role in ('owner', 'admin', 'member', 'billing', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (account_id, person_id)
);

-- Open invitations: the row is deleted when its secret is accepted, so that this happens once.
create table invitations (
  id uuid primary key,
  account_id uuid not null references accounts,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'billing', 'viewer')),
  -- The SHA-256 of the secret, as with tokens.
  hash bytea not null unique check (octet_length(hash) = 32),
  -- When the token that invited expires: the token of the person expires no later. Null: it does not.
  token_expires_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create unique index invitations_of_address on invitations (account_id, lower(email));

alter table tokens
  -- Whose it is; null: the team's own. Never changes.
  add column person_id uuid references people,
  -- What it may with the scope `operator`; null: everything.
  add column operator_role text check (operator_role in ('operator', 'support', 'finance', 'read-only')),
  add check (operator_role is null or 'operator' = any (scopes));
create index tokens_of_person on tokens (person_id) where person_id is not null;
