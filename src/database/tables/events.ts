// Events and their recipients: events, change stamps, webhooks and their deliveries. See ../schema.ts.

import type { ColumnType, Generated, GeneratedAlways } from "kysely";
import type { DefaultTimestamp, Json, NullableTimestamp } from "./column-types.ts";

export interface EventsTable {
  position: GeneratedAlways<number>;
  /** xid8, as text. */
  tx: GeneratedAlways<string>;
  id: Generated<string>;
  /** Null: of no account. */
  account_id: string | null;
  type: string;
  subject_id: string;
  data: Json<unknown>;
  created_at: DefaultTimestamp;
}

export interface AccountChangesTable {
  account_id: string;
  /** xid8, as text. Written by triggers only. */
  tx: GeneratedAlways<string>;
}

export interface CatalogChangesTable {
  /** xid8, as text. Written by triggers only. */
  tx: GeneratedAlways<string>;
}

export interface LogicalClockTable {
  one: GeneratedAlways<boolean>;
  ahead: number;
}

export interface WebhooksTable {
  id: string;
  account_id: string;
  url: string;
  description: Generated<string>;
  event_types: Generated<string[]>;
  active: Generated<boolean>;
  disabled_reason: string | null;
  secret_sealed: string;
  previous_secret_sealed: string | null;
  previous_secret_until: NullableTimestamp;
  /** xid8, as text. */
  cursor_tx: string;
  cursor_position: number;
  pending: Generated<number>;
  failing_since: NullableTimestamp;
  troubled: Generated<boolean>;
  lease_owner: string | null;
  lease_until: NullableTimestamp;
  created_at: DefaultTimestamp;
  origin: GeneratedAlways<string>;
  failures: Generated<number>;
  paused_until: NullableTimestamp;
  last_error: string | null;
  last_status_code: number | null;
}

export interface WebhookOriginsTable {
  origin: string;
  failures: number;
  next_attempt_at: DefaultTimestamp;
  failed_at: DefaultTimestamp;
}

export interface WebhookDeliveriesTable {
  id: string;
  position: GeneratedAlways<number>;
  webhook_id: string;
  event_id: string;
  event_type: string;
  subject_id: string;
  body: string;
  status: Generated<string>;
  asked: Generated<boolean>;
  next_attempt_at: NullableTimestamp;
  tries: Generated<number>;
  attempts: Generated<number>;
  /** Attempt of rental/webhooks/delivery.ts. */
  log: ColumnType<unknown, string | undefined, string>;
  created_at: DefaultTimestamp;
  finished_at: NullableTimestamp;
}
