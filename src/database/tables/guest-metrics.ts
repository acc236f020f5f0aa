// What agents inside guests report. See ../schema.ts, and rental/guest-metrics/ for what the bytes mean.

import type { Generated } from "kysely";
import type { DefaultTimestamp, NullableTimestamp, Timestamp } from "./column-types.ts";

export interface GuestMetricsRecentTable {
  /** Since 1970. */
  minute: number;
  instance_id: string;
  data: Buffer;
}

export interface GuestMetricsTable {
  level: number;
  /** Since 1970, in chunks of the level. */
  chunk: number;
  instance_id: string;
  data: Buffer;
}

export interface GuestMetricCollectorsTable {
  engine: string;
  owner: string;
  until: Timestamp;
}

export interface InstanceGpuFaultsTable {
  instance_id: string;
  gpu: number;
  xid: number;
  first_at: DefaultTimestamp;
  last_at: DefaultTimestamp;
}

/** Of instances with an idle rule (rental/idle/). */
export interface IdleWatchesTable {
  instance_id: string;
  idle_since: NullableTimestamp;
  sampled_at: Timestamp;
  is_done: Generated<boolean>;
}
