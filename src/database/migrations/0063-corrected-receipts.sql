-- Money of payments through a provider that moved after their receipts (src/rental/invoices/taken-back.ts).

-- Entries whose receipts are corrected, and the cents that were: fewer, if an operator had taken a part back before.
create table corrected_receipts (
  entry_id bigint primary key references ledger_entries (id),
  cents bigint not null check (cents >= 0)
);
create index ledger_entries_taken_back on ledger_entries (id) where kind in ('refund', 'chargeback', 'reversal');
