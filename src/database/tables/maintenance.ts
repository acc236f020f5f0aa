// Maintenance windows of hosts. See ../schema.ts.

import type { Generated } from "kysely";
import type { DefaultTimestamp, NullableTimestamp, Timestamp } from "./column-types.ts";

export interface MaintenanceWindowsTable {
  id: string;
  /** Of the request that made it. */
  group_id: string;
  host: string;
  begins_at: Timestamp;
  ends_at: Timestamp;
  reason: string;
  /** MaintenanceMode of rules/maintenance.ts. */
  mode: string;
  /** WindowPhase of rules/maintenance.ts. */
  phase: Generated<string>;
  revision: Generated<number>;
  /** The latest begin that customers can choose. */
  deferrable_until: NullableTimestamp;
  deferred_by: string | null;
  deferred_at: NullableTimestamp;
  created_by: string;
  created_at: DefaultTimestamp;
  started_at: NullableTimestamp;
  ended_at: NullableTimestamp;
  /** HostMode of rules/host-lifecycle.ts, to which its host returns. */
  mode_before: string | null;
  mode_reason_before: string | null;
  mode_by_before: string | null;
}
