// Hosts and their GPUs. See ../schema.ts.

import type { Generated, GeneratedAlways } from "kysely";
import type { DefaultJson, DefaultTimestamp, NullableJson, NullableTimestamp } from "./column-types.ts";

export interface HostsTable {
  name: string;
  engine: string;
  region: string;
  vcpus: number;
  memory_gib: number;
  storage_gb: number;
  free_vcpus: number;
  free_memory_gib: number;
  free_storage_gb: number;
  id: Generated<string>;
  /** HostMode of rules/host-lifecycle.ts. */
  mode: Generated<string>;
  mode_reason: string | null;
  /** The account of the operator who decided the mode. */
  mode_by: string | null;
  /** HostState of rules/host-lifecycle.ts: of mode and available. */
  state: GeneratedAlways<string>;
  /** For servers of the version before: whether the mode is another one than up. */
  cordoned: GeneratedAlways<boolean>;
  state_since: DefaultTimestamp;
  note: Generated<string>;
  labels: DefaultJson<Readonly<Record<string, string>>>;
  available: Generated<boolean>;
  /** The last time that its engine reached it, while it does not. */
  unreachable_since: NullableTimestamp;
  shared_storage: Generated<boolean>;
  multi_attach: Generated<boolean>;
  /** HostReading of rental/capacity/overrides.ts. */
  reported: NullableJson<unknown>;
  /** HostOverrides of rental/capacity/overrides.ts. */
  overrides: NullableJson<unknown>;
  /** xid8, as text. Written by a trigger only. */
  changed_in: GeneratedAlways<string>;
}

export interface RemovedHostsTable {
  name: string;
  /** It was lost, and is again if it is discovered again. */
  lost: Generated<boolean>;
  /** xid8, as text. */
  changed_in: GeneratedAlways<string>;
}

export interface GpuPoolsTable {
  host: string;
  model: string;
  total: number;
  free: number;
}

export interface GpusTable {
  host: string;
  address: string;
  model: string;
  memory_gib: number;
  numa_node: Generated<number>;
  healthy: Generated<boolean>;
  instance_id: string | null;
}
