// Hosts and their GPUs. See ../schema.ts.

import type { Generated, GeneratedAlways } from "kysely";
import type { DefaultJson, DefaultTimestamp, NullableJson, NullableTimestamp, Timestamp } from "./column-types.ts";

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
  /** DrainMode of rules/moves.ts, of a host that is draining; null: not said. */
  drain_mode: string | null;
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
  /** When the listing began that changed whether it is reached. */
  reach_changed_at: NullableTimestamp;
  /** Since when it is verified to be off. Reaching it ends that. */
  off_since: NullableTimestamp;
  shared_storage: Generated<boolean>;
  multi_attach: Generated<boolean>;
  /** HostReading of rental/capacity/overrides.ts. */
  reported: NullableJson<unknown>;
  /** HostOverrides of rental/capacity/overrides.ts. */
  overrides: NullableJson<unknown>;
  /** The run of its daemon that the engine saw last. */
  daemon_run: string | null;
  /** Since when its outages are known. */
  known_since: DefaultTimestamp;
  /** The waiting launch that it is kept for. */
  earmarked_for: string | null;
  /** The position of that launch. */
  earmark_position: number | null;
  /** When that launch is expected to fit; null: not known. */
  earmark_from: NullableTimestamp;
  /** How many slots of it are promised to reservations. Written by triggers only. */
  promised: Generated<number>;
  /** xid8, as text. Written by a trigger only. */
  changed_in: GeneratedAlways<string>;
}

export interface HostFindingsTable {
  host: string;
  /** HealthCode of rules/host-health.ts, or one of a later version. */
  code: string;
  /** HealthSeverity of rules/host-health.ts. */
  severity: string;
  message: string;
  since: DefaultTimestamp;
}

export interface HostRestartsTable {
  host: string;
  restarted_at: Timestamp;
}

/** Outages that ended; the one in progress is unreachable_since of the host. */
export interface HostOutagesTable {
  host: string;
  began_at: Timestamp;
  ended_at: Timestamp;
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
  /** By size, how many more instances fit; null: its host has no partitions. Written by triggers only. */
  fits: NullableJson<Readonly<Record<string, number>>>;
}

/** Of each host with GPUs. See rental/gpus/partitions. */
export interface GpuFabricsTable {
  host: string;
  version: string | null;
  branch: GeneratedAlways<string | null>;
  read_at: NullableTimestamp;
  read_requests: Generated<number>;
  read_answered: Generated<number>;
  read_due: GeneratedAlways<boolean>;
  due_at: NullableTimestamp;
  leased_until: DefaultTimestamp;
  claims: Generated<number>;
  failures: Generated<number>;
}

export interface GpuPartitionsTable {
  host: string;
  id: string;
  addresses: string[];
  size: GeneratedAlways<number>;
  /** Follows gpus by a trigger. */
  wanted_for: string | null;
  active_for: string | null;
  reported: boolean | null;
  asked: string | null;
  asked_at: NullableTimestamp;
  failures: Generated<number>;
  next_try_at: DefaultTimestamp;
}

/** Written by triggers only. */
export interface ActiveGpusTable {
  host: string;
  address: string;
  partition: string;
}

export interface GpusTable {
  host: string;
  address: string;
  model: string;
  memory_gib: number;
  numa_node: Generated<number>;
  healthy: Generated<boolean>;
  instance_id: string | null;
  id: Generated<string>;
  /** GpuState of rules/gpu-lifecycle.ts. Follows instance_id by a trigger. */
  state: Generated<string>;
  state_since: DefaultTimestamp;
  reason: string | null;
  evidence: string | null;
  decided_by: string | null;
  quarantine_next: string | null;
  /** Of its reset or its validation, since its state is so. */
  attempts: Generated<number>;
  /** Of all resets that it ever had. */
  resets: Generated<number>;
  next_try_at: NullableTimestamp;
  /** How often an instance gave it back. */
  handovers: Generated<number>;
  /** ValidationCause of rules/gpu-lifecycle.ts; null: it is not to be validated. */
  validation_due: string | null;
  burn_in_until: NullableTimestamp;
  /** The validation whose machine has it. */
  validation_id: string | null;
  last_validated_at: NullableTimestamp;
  /** Verdict of rules/gpu-lifecycle.ts. */
  last_verdict: string | null;
  last_nonce: string | null;
  /** The model with which its instance took it. */
  taken_as: string | null;
  /** Its policy resets it, and no reset has come to an end since its last instance. */
  reset_owed: Generated<boolean>;
}

export interface GpuPoliciesTable {
  gpu_model: string;
  /** Empty: every region that has none of its own. */
  region: Generated<string>;
  /** Handover of rules/gpu-lifecycle.ts. */
  handover: string;
  /** Null: its GPUs are not validated. */
  image: string | null;
  every: Generated<number>;
  deadline_seconds: Generated<number>;
  attempts: Generated<number>;
  /** WarningMeaning of rules/gpu-lifecycle.ts. */
  warning: Generated<string>;
  burn_in_hours: Generated<number>;
  vcpus: Generated<number>;
  memory_gib: Generated<number>;
  storage_gb: Generated<number>;
}

/** In progress. See rental/gpus/validations.ts. */
export interface GpuValidationsTable {
  id: Generated<string>;
  host: string;
  model: string;
  addresses: string[];
  image: string;
  vcpus: number;
  memory_gib: number;
  storage_gb: number;
  nonce: string;
  previous: Generated<string[]>;
  began_at: DefaultTimestamp;
  deadline_seconds: number;
  attempts: number;
  quarantines_warnings: boolean;
  leased_until: Timestamp;
  claims: Generated<number>;
  failures: Generated<number>;
  verdict: string | null;
  evidence: string | null;
}

/** How long the last reset and the last validation of each GPU took. See rental/gpus/times.ts. */
export interface GpuTimesTable {
  gpu_id: string;
  kind: string;
  model: string;
  seconds: number;
  ended_at: DefaultTimestamp;
}

/** GPUs that their hosts had before. */
export interface GoneGpusTable {
  host: string;
  address: string;
  /** Of one that was not free when its host was deleted: how it is when it is seen again; null: free. */
  state: string | null;
  reason: string | null;
  evidence: string | null;
  validation_due: string | null;
  reset_owed: boolean | null;
}
