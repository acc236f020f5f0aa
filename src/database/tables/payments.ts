// Payments through a provider. See ../schema.ts.

import type { Generated } from "kysely";
import type { DefaultTimestamp, NullableTimestamp, Timestamp } from "./column-types.ts";

export interface PaymentsTable {
  id: string;
  account_id: string;
  provider: string;
  amount_cents: number;
  currency: string;
  status: string;
  failure: string | null;
  checkout_id: string | null;
  provider_payment_id: string | null;
  checkout_url: string | null;
  token_id: string | null;
  order_key: string | null;
  payment_method_id: string | null;
  created_at: DefaultTimestamp;
  paid_at: NullableTimestamp;
  next_check_at: NullableTimestamp;
  tries: Generated<number>;
  hints: Generated<number>;
  checked_at: NullableTimestamp;
  lease_owner: string | null;
  lease_until: NullableTimestamp;
}

export interface PaymentsTakenBackTable {
  id: string;
  payment_id: string;
  kind: string;
  amount_cents: number;
  entries: Generated<number>;
  held_at: NullableTimestamp;
  created_at: DefaultTimestamp;
}

export interface PaymentRefundsTable {
  id: string;
  payment_id: string;
  amount_cents: number;
  reason: string;
  status: string;
  failure: string | null;
  provider_refund_id: string | null;
  token_id: string;
  attempt: Generated<number>;
  created_at: DefaultTimestamp;
}

export interface PaymentCursorsTable {
  provider: string;
  until: Timestamp;
  read_at: Timestamp;
}
