// Saved payment methods, the customers at the provider that have them, and automatic top-ups. See ../schema.ts.

import type { Generated } from "kysely";
import type { DefaultTimestamp, NullableTimestamp } from "./column-types.ts";

export interface PaymentCustomersTable {
  account_id: string;
  customer_id: string | null;
  generation: Generated<number>;
  created_at: DefaultTimestamp;
}

export interface AutoTopUpsTable {
  account_id: string;
  threshold_cents: number;
  amount_cents: number;
  monthly_cap_cents: number;
  payment_method_id: string | null;
  declines: Generated<number>;
  turned_off_at: NullableTimestamp;
  turned_off_reason: string | null;
}

export interface PaymentMethodsTable {
  id: string;
  account_id: string;
  status: string;
  checkout_id: string | null;
  provider_method_id: string | null;
  checkout_url: string | null;
  brand: string | null;
  last4: string | null;
  exp_month: number | null;
  exp_year: number | null;
  token_id: string | null;
  order_key: string | null;
  created_at: DefaultTimestamp;
  saved_at: NullableTimestamp;
  next_check_at: NullableTimestamp;
  tries: Generated<number>;
  hints: Generated<number>;
  checked_at: NullableTimestamp;
  lease_owner: string | null;
  lease_until: NullableTimestamp;
}
