// Capacity notices of accounts, and what was announced. See ../schema.ts.

import type { Generated } from "kysely";
import type { DefaultTimestamp, NullableTimestamp, Timestamp } from "./column-types.ts";

export interface CapacityNoticesTable {
  id: string;
  account_id: string;
  /** Null: every one. */
  instance_type: string | null;
  /** Null: every one. */
  region: string | null;
  created_at: DefaultTimestamp;
}

export interface AnnouncedCapacityTable {
  id: Generated<string>;
  instance_type: string;
  region: string;
  is_available: boolean;
  since: Timestamp;
  opposite_since: NullableTimestamp;
}
