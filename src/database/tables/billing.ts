// The cost of instances and reservations. See ../schema.ts.

import type { Generated, GeneratedAlways } from "kysely";
import type { DefaultTimestamp, NullableTimestamp, Timestamp } from "./column-types.ts";

export interface BillingSpansTable {
  id: GeneratedAlways<number>;
  /** The id of an instance, or of a reservation. */
  instance_id: string;
  account_id: string;
  started_at: Timestamp;
  /** Of a reservation, its end, which can lie ahead. */
  ended_at: NullableTimestamp;
  price_cents_per_hour: number;
  discount_basis_points: number;
  coupon_code: string | null;
  token_id: string | null;
  /** tstzmultirange, as text: the time that is not billed. */
  downtime: Generated<string>;
  /** When its last credit was given. */
  credited_at: NullableTimestamp;
  /** Of a reservation; otherwise 1. */
  quantity: Generated<number>;
}

export interface BillingCreditsTable {
  id: GeneratedAlways<number>;
  /** As that of its span. */
  instance_id: string;
  account_id: string;
  token_id: string | null;
  given_at: Timestamp;
  /** The time that it is for. */
  began_at: Timestamp;
  ended_at: Timestamp;
  seconds: number;
  /** numeric, as text. */
  cost_micro_cents: string;
  /** CreditReason of rental/billing/credits.ts. */
  reason: Generated<string>;
}

export interface ExhaustedBalancesTable {
  account_id: string;
  since: DefaultTimestamp;
  /** Null: instances are not stopped before they are terminated. */
  stop_at: NullableTimestamp;
  terminate_at: Timestamp;
}

export interface BalanceNoticesTable {
  account_id: string;
  within_seconds: number;
  day: string;
  after_entry: number;
}

export interface SpendNoticesTable {
  subject_id: string;
  month: Timestamp;
  limit_cents: number;
  kind: string;
  told_at: DefaultTimestamp;
}

export interface BudgetAlertsTable {
  id: string;
  account_id: string;
  amount_cents: number;
  created_at: DefaultTimestamp;
}

export interface BudgetNoticesTable {
  alert_id: string;
  /** date, as text: its first day. */
  month: string;
  reached_at: DefaultTimestamp;
}

export interface ClosedMonthsTable {
  /** date, as text: its first day. */
  month: string;
  closed_at: DefaultTimestamp;
}

export interface StatementLinesTable {
  account_id: string;
  /** date, as text: its first day. */
  month: string;
  /** As that of its span. */
  instance_id: string;
  instance_name: string;
  instance_type: string;
  region: string;
  seconds: number;
  downtime_seconds: Generated<number>;
  /** numeric, as text. */
  credit_micro_cents: Generated<string>;
  price_cents_per_hour: number;
  discount_basis_points: number;
  coupon_code: string | null;
  /** numeric, as text. */
  cost_micro_cents: string;
  quantity: Generated<number>;
}
