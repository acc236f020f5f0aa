// Invoices and billing details. See ../schema.ts.

import type { Generated, GeneratedAlways } from "kysely";
import type { DefaultTimestamp, Json } from "./column-types.ts";

export interface BillingDetailsTable {
  account_id: string;
  name: string | null;
  address: Generated<string[]>;
  country: string | null;
  tax_id: string | null;
  email: string | null;
}

export interface InvoicingTable {
  is_only: Generated<boolean>;
  since: DefaultTimestamp;
  /** date, as text: its first day. */
  done_month: string | null;
}

export interface InvoiceSeriesTable {
  name: string;
  last: number;
}

export interface CorrectedReceiptsTable {
  entry_id: number;
  cents: number;
}

export interface InvoicesTable {
  id: string;
  account_id: string;
  /** InvoiceKind of rules/invoices.ts. */
  kind: string;
  cause: string;
  series: string;
  serial: number;
  previous: GeneratedAlways<number | null>;
  number: string;
  /** date, as text: its first day. */
  month: string;
  entry_id: number | null;
  corrects: string | null;
  reason: string | null;
  issued_at: DefaultTimestamp;
  /** date, as text. */
  due_on: string | null;
  currency: string;
  total_cents: number;
  net_cents: number;
  tax_cents: number;
  /** numeric, as text. */
  micro_cents: string;
  /** The shapes of these are in rules/invoices.ts. */
  tax: Json<unknown>;
  seller: Json<unknown>;
  customer: Json<unknown>;
  lines: Json<unknown>;
}
