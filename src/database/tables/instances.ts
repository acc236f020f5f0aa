// Instances, their launch parameters, and records of past ones. See ../schema.ts.

import type { Generated, GeneratedAlways } from "kysely";
import type { AttachedKey, InstanceMount, StoredIdleRule, StoredTag } from "../stored-values.ts";
import type { DefaultJson, DefaultTimestamp, Json, NullableJson, NullableTimestamp } from "./column-types.ts";

export interface InstancesTable {
  id: string;
  /** Ascending in order of launch; lists are in this order. */
  position: GeneratedAlways<number>;
  account_id: string;
  name: string;
  hostname: string;
  state: string;
  health: Generated<string>;
  progress: string | null;
  failure_code: string | null;
  failure_message: string | null;
  region: string;
  region_description: string;
  instance_type: string;
  type_description: string;
  gpu_model: string | null;
  gpu_description: string;
  gpus: number;
  vcpus: number;
  memory_gib: number;
  storage_gb: number;
  price_cents_per_hour: number;
  coupon_code: string | null;
  discount_basis_points: Generated<number>;
  image_name: string;
  image_number: number;
  image_description: string;
  login_user: string;
  ssh_keys: Json<AttachedKey[]>;
  file_system_names: Generated<string[]>;
  file_system_mounts: DefaultJson<InstanceMount[]>;
  command: string | null;
  env_vars_sealed: string | null;
  password_sealed: string | null;
  jupyter_token_sealed: string | null;
  engine: string;
  host: string;
  gpu_addresses: Generated<string[]>;
  ip: string | null;
  generation: Generated<number>;
  fulfilled_generation: Generated<number>;
  wished_at: DefaultTimestamp;
  next_look_at: NullableTimestamp;
  lease_owner: string | null;
  lease_until: NullableTimestamp;
  attempts: Generated<number>;
  /** The last time that its host was reached, while it is not. */
  unreachable_since: NullableTimestamp;
  /** That time is counted as downtime. */
  is_down: Generated<boolean>;
  created_at: DefaultTimestamp;
  active_at: NullableTimestamp;
  terminating_at: NullableTimestamp;
  terminated_at: NullableTimestamp;
  token_id: string | null;
  max_lifetime_seconds: number | null;
  expires_at: NullableTimestamp;
  expiry_warned: Generated<boolean>;
  ended_by: string | null;
  tags: DefaultJson<StoredTag[]>;
  architecture: Generated<string>;
  halt_first: Generated<boolean>;
  user_data_id: string | null;
  firewall_ruleset_ids: Generated<string[]>;
  firewall_wished: Generated<number>;
  firewall_applied: Generated<number>;
  /** When its account reported a fault of its GPUs first. */
  fault_reported_at: NullableTimestamp;
  /** The maintenance window for which it was stopped and after which it starts again. */
  stopped_for: string | null;
  guest_metrics: Generated<boolean>;
  /** IdleRule of rules/idle.ts; null: none. */
  idle_rule: NullableJson<StoredIdleRule>;
  spot: Generated<boolean>;
  /** When its notice ends, and the waiting launch that it is evicted for; null: it is not under notice. */
  evict_at: NullableTimestamp;
  evicted_for: string | null;
  /** Its guest was asked to halt for that, and no action followed. */
  evict_stopped: Generated<boolean>;
  /** The end of the notice that its guest was told of last; null: of none. */
  evict_told: NullableTimestamp;
  /** The reservation that pays for it; null: none. */
  reservation_id: string | null;
  /** Until when its launch waits for capacity of its engine, and when it is tried again (reconciler/room.ts). */
  waits_until: NullableTimestamp;
  room_try_at: NullableTimestamp;
}

/** An instance that moves to another host, or whose last move failed. */
export interface MovesTable {
  instance_id: string;
  from_host: string;
  to_host: string;
  /** MovePhase of rules/moves.ts. */
  phase: string;
  copied_bytes: Generated<number>;
  /** 0: unknown. */
  total_bytes: Generated<number>;
  began_at: DefaultTimestamp;
  /** The operator's account; null: the service, to empty a host. */
  began_by: string | null;
  reason: string | null;
  /** Why it was given up. */
  failure_code: string | null;
  failure_message: string | null;
}

/** A launch's user data for cloud-init; its instances share it. */
export interface UserDataTable {
  id: string;
  text_sealed: string;
}

/** The record of an instance that ended long ago and was deleted (rental/instances/past-instances.ts). */
export interface PastInstancesTable {
  id: string;
  name: string;
  instance_type: string;
  region: string;
  failure_code: string | null;
  ended_by: string | null;
  /** The one that paid for it. */
  reservation_id: string | null;
}
