-- The ledger: what customers paid, used and got back (src/rules/ledger.ts, src/rental/ledger). Double-entry and append-only:
-- the lines of an entry add up to zero, in integer micro-cents, and nothing is ever changed.

create table ledger_entries (
  id bigint generated always as identity primary key,
  account_id uuid not null references accounts (id),
  kind text not null check (kind in ('top_up', 'usage', 'credit', 'refund', 'chargeback', 'voucher', 'adjustment')),
  -- What it is for: the same cause never has a second one.
  cause text not null constraint one_ledger_entry_per_cause unique,
  -- Of usage and credits: the first day of the month in UTC, and the end of the time that is counted.
  month date check (extract(day from month) = 1),
  until timestamptz,
  reference text,
  reason text,
  -- Who made it; null: the service.
  token_id uuid,
  created_at timestamptz not null default now(),
  constraint ledger_entries_monthly check ((kind in ('usage', 'credit')) = (month is not null and until is not null)),
  constraint ledger_entries_reference check (kind not in ('top_up', 'refund', 'chargeback') or reference is not null),
  constraint ledger_entries_reason check (kind not in ('refund', 'adjustment') or reason is not null),
  unique (id, account_id, kind)
);
create index ledger_entries_of_account on ledger_entries (account_id, id);
create index ledger_entries_of_month on ledger_entries (month, account_id) where month is not null;

create table ledger_lines (
  entry_id bigint not null,
  account_id uuid not null,
  kind text not null,
  ledger_account text not null,
  amount_micro_cents numeric(30, 0) not null check (amount_micro_cents <> 0),
  primary key (entry_id, ledger_account),
  foreign key (entry_id, account_id, kind) references ledger_entries (id, account_id, kind),
  constraint ledger_lines_of_kind check (
    kind || ' ' || ledger_account || case when amount_micro_cents > 0 then ' +' else ' -' end in (
      'top_up balance +', 'top_up cash -',
      'usage balance -', 'usage revenue +', 'usage balance +', 'usage revenue -',
      'credit balance -', 'credit credits +', 'credit balance +', 'credit credits -',
      'refund balance -', 'refund cash +',
      'chargeback balance -', 'chargeback cash +',
      'voucher balance +', 'voucher vouchers -',
      'adjustment balance -', 'adjustment adjustments +', 'adjustment balance +', 'adjustment adjustments -'))
);
-- A balance is the sum of its lines.
create index ledger_lines_of_balance on ledger_lines (account_id, entry_id) include (amount_micro_cents)
  where ledger_account = 'balance';

create function refuse_change_of_ledger() returns trigger language plpgsql as $$
begin
  raise exception '% never changes', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger ledger_entries_stay before update or delete on ledger_entries
  for each row execute function refuse_change_of_ledger();
create trigger ledger_entries_stay_all before truncate on ledger_entries
  for each statement execute function refuse_change_of_ledger();
create trigger ledger_lines_stay before update or delete on ledger_lines
  for each row execute function refuse_change_of_ledger();
create trigger ledger_lines_stay_all before truncate on ledger_lines
  for each statement execute function refuse_change_of_ledger();

-- At the end of each transaction: two lines, of the balance and of another account, which add up to zero.
create function refuse_unbalanced_entry() returns trigger language plpgsql as $$
declare
  entry bigint := case when tg_table_name = 'ledger_entries' then (to_jsonb(new) ->> 'id')::bigint
    else (to_jsonb(new) ->> 'entry_id')::bigint end;
  lines record;
begin
  select count(*) as count, coalesce(sum(amount_micro_cents), 0) as sum, bool_or(ledger_account = 'balance') as has_balance
    into lines from ledger_lines where entry_id = entry;
  if lines.count <> 2 or lines.sum <> 0 or not lines.has_balance then
    raise exception 'the lines of an entry of the ledger add up to zero' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create constraint trigger ledger_entries_balance after insert on ledger_entries deferrable initially deferred
  for each row execute function refuse_unbalanced_entry();
create constraint trigger ledger_lines_balance after insert on ledger_lines deferrable initially deferred
  for each row execute function refuse_unbalanced_entry();

-- What is worth money once: an account that knows the code gets the amount, each once.
create table vouchers (
  id uuid primary key,
  name text not null,
  -- SHA-256 of the code, which is stored nowhere.
  code_hash bytea not null constraint one_voucher_per_code unique,
  amount_cents bigint not null check (amount_cents > 0),
  max_uses integer not null check (max_uses > 0),
  uses integer not null default 0 check (uses between 0 and max_uses),
  -- Null: it does not expire.
  expires_at timestamptz,
  created_at timestamptz not null default now()
);

-- Months that are closed already: their usage, and what does not have to be paid of it.
with sums as (
  select l.account_id, l.month, -sum(l.cost_micro_cents) as usage, sum(l.credit_micro_cents) as credit
  from statement_lines l group by 1, 2
), wanted as (
  select account_id, month, 'usage' as kind, usage as amount from sums where usage <> 0
  union all
  select account_id, month, 'credit', credit from sums where credit <> 0
), entries as (
  insert into ledger_entries (account_id, kind, cause, month, until)
  select account_id, kind, concat_ws('/', kind, account_id, month, 1), month, (month + interval '1 month') at time zone 'UTC'
  from wanted order by month, account_id, kind desc
  returning id, account_id, kind, month
)
insert into ledger_lines (entry_id, account_id, kind, ledger_account, amount_micro_cents)
select e.id, e.account_id, e.kind, side.ledger_account, side.factor * w.amount
from entries e join wanted w using (account_id, kind, month)
cross join lateral (values ('balance', 1), (case e.kind when 'usage' then 'revenue' else 'credits' end, -1))
  as side (ledger_account, factor);
