// The ledger and vouchers. See ../schema.ts.

import type { Generated, GeneratedAlways } from "kysely";
import type { DefaultTimestamp, NullableTimestamp } from "./column-types.ts";

export interface LedgerEntriesTable {
  id: GeneratedAlways<number>;
  account_id: string;
  /** LedgerKind of rules/ledger.ts. */
  kind: string;
  cause: string;
  /** date, as text: its first day. */
  month: string | null;
  until: NullableTimestamp;
  reference: string | null;
  reason: string | null;
  token_id: string | null;
  created_at: DefaultTimestamp;
}

export interface LedgerLinesTable {
  entry_id: number;
  account_id: string;
  kind: string;
  /** LedgerAccount of rules/ledger.ts. */
  ledger_account: string;
  /** numeric, as text. */
  amount_micro_cents: string;
}

export interface VouchersTable {
  id: string;
  name: string;
  code_hash: Buffer;
  amount_cents: number;
  max_uses: number;
  uses: Generated<number>;
  expires_at: NullableTimestamp;
  created_at: DefaultTimestamp;
}
