-- Refunds and disputes at the payment provider (src/rental/payments/take-back.ts), and the entry of one that ended well.

create table payments_taken_back (
  -- The provider's.
  id text primary key,
  payment_id uuid not null references payments (id),
  kind text not null constraint payments_taken_back_kind check (kind in ('refund', 'chargeback')),
  amount_cents bigint not null check (amount_cents > 0),
  -- How often its money went and came back: of an odd number, it is gone.
  entries integer not null default 0,
  created_at timestamptz not null default now()
);
create index payments_taken_back_of_payment on payments_taken_back (payment_id);

alter table ledger_entries drop constraint ledger_entries_kind_check;
alter table ledger_entries add constraint ledger_entries_kind_check
  check (kind in ('top_up', 'usage', 'credit', 'refund', 'chargeback', 'reversal', 'voucher', 'adjustment'));
alter table ledger_entries drop constraint ledger_entries_reference;
alter table ledger_entries add constraint ledger_entries_reference
  check (kind not in ('top_up', 'refund', 'chargeback', 'reversal') or reference is not null);
alter table ledger_lines drop constraint ledger_lines_of_kind;
alter table ledger_lines add constraint ledger_lines_of_kind check (
  kind || ' ' || ledger_account || case when amount_micro_cents > 0 then ' +' else ' -' end in (
    'top_up balance +', 'top_up cash -',
    'usage balance -', 'usage revenue +', 'usage balance +', 'usage revenue -',
    'credit balance -', 'credit credits +', 'credit balance +', 'credit credits -',
    'refund balance -', 'refund cash +',
    'chargeback balance -', 'chargeback cash +',
    'reversal balance +', 'reversal cash -',
    'voucher balance +', 'voucher vouchers -',
    'adjustment balance -', 'adjustment adjustments +', 'adjustment balance +', 'adjustment adjustments -'));
