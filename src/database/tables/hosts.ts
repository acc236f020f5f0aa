// Hosts and their GPUs. See ../schema.ts.

import type { Generated, GeneratedAlways } from "kysely";
import type { NullableJson } from "./column-types.ts";

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
  cordoned: Generated<boolean>;
  available: Generated<boolean>;
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
