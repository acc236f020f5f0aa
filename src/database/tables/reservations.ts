// Reservations and the hosts that are promised to them. See ../schema.ts.

import type { Generated } from "kysely";
import type { DefaultTimestamp, Json, NullableTimestamp, Timestamp } from "./column-types.ts";

export interface ReservationsTable {
  id: string;
  account_id: string;
  token_id: string;
  name: string;
  /** ReservationState of rules/reservations.ts. */
  state: Generated<string>;
  region: string;
  instance_type: string;
  /** The row of the instance type when it was made. */
  type: Json<object>;
  price_cents_per_hour: number;
  quantity: number;
  begins_at: Timestamp;
  ends_at: Timestamp;
  /** What its hosts need before it and after it. */
  handover_seconds: number;
  created_at: DefaultTimestamp;
  started_at: NullableTimestamp;
  /** Capacity was missing at its begin. */
  begins_late: Generated<boolean>;
  ended_at: NullableTimestamp;
  /** Why it is unfulfilled. */
  reason: string | null;
  /** The last warning before its end, in seconds before it. */
  warned_seconds: number | null;
  /** Since when hosts cannot keep what is promised, and no others can. */
  at_risk_since: NullableTimestamp;
}

/** Of reservations that are not over. */
export interface ReservationHostsTable {
  reservation_id: string;
  /** A name, also of a host that is gone. */
  host: string;
  slots: number;
  /** How many of them cannot be used. */
  undelivered: Generated<number>;
  undelivered_since: NullableTimestamp;
  /** Until when what could not be used is settled. */
  settled_until: NullableTimestamp;
}
