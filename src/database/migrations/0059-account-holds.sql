-- Accounts on hold: they launch nothing and reservations of theirs do not begin (src/rental/accounts/holds.ts).

alter table accounts add column held_since timestamptz;
-- When a dispute put its account on hold; null: it did not, or was won.
alter table payments_taken_back add column held_at timestamptz;
