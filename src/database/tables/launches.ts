// Waiting launches and their lines. See ../schema.ts.

import type { Generated } from "kysely";
import type { DefaultJson, DefaultTimestamp, NullableTimestamp, Timestamp } from "./column-types.ts";

export interface LaunchLinesTable {
  id: Generated<string>;
  instance_type: string;
  /** Null: every one. */
  region: string | null;
  /** HostBound of rental/capacity/host-order.ts. */
  bound: DefaultJson<object>;
  spot: Generated<boolean>;
}

export interface WaitingLaunchesTable {
  id: string;
  /** Ascending in the order in which they are placed. */
  position: Generated<number>;
  account_id: string;
  token_id: string;
  line_id: string;
  state: Generated<string>;
  instance_type: string;
  /** Null: every one. */
  region: string | null;
  quantity: number;
  max_price_cents_per_hour: number | null;
  /** The order, encrypted; null once it is over. */
  order_sealed: string | null;
  wait_until: Timestamp;
  blocked_by: string;
  blocked_message: string;
  reason: string | null;
  instance_ids: Generated<string[]>;
  created_at: DefaultTimestamp;
  ended_at: NullableTimestamp;
  next_try_at: DefaultTimestamp;
  spot: Generated<boolean>;
  /** Of its instances; null: unlimited. */
  max_lifetime_seconds: number | null;
  /** When one of several instances is expected to fit; null: not known. */
  starts_at: NullableTimestamp;
}
