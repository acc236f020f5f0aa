-- Command lines that wait until a person confirms their sign-in in the console (src/rental/people/device-sign-ins.ts).

create table device_sign_ins (
  -- The SHA-256 of the secret that the command line has.
  hash bytea primary key check (octet_length(hash) = 32),
  -- What the person types.
  user_code text not null unique,
  name text not null,
  address text,
  expires_at timestamptz not null,
  polled_at timestamptz,
  -- Who confirmed it, and for which team; null: no one yet.
  account_id uuid references accounts,
  person_id uuid references people,
  check ((account_id is null) = (person_id is null))
);
