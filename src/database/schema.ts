// The tables of migrations/, as Kysely sees them. A column's type here is what `pg` returns with the parsers of
// connect.ts: int8 as number, numeric as string, timestamptz as Date, bytea as Buffer. schema.test.ts holds it
// against the migrated database.

import type { ColumnType, Generated, GeneratedAlways } from "kysely";
import type { AttachedKey, InstanceMount, StoredRule, StoredTag } from "./stored-values.ts";

type Timestamp = ColumnType<Date, Date | string, Date | string>;
type DefaultTimestamp = ColumnType<Date, Date | string | undefined, Date | string>;
type NullableTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
type Json<T> = ColumnType<T, string, string>;
type DefaultJson<T> = ColumnType<T, string | undefined, string>;
type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>;

export interface SettingsTable {
  name: string;
  value: Json<unknown>;
}

export interface AccountsTable {
  id: string;
  name: string;
  status: ColumnType<string, string | undefined, string>;
  quota_instances: number;
  quota_gpus: number;
  quota_vcpus: number;
  quota_ssh_keys: number;
  quota_file_systems: number;
  used_instances: Generated<number>;
  used_gpus: Generated<number>;
  used_vcpus: Generated<number>;
  used_ssh_keys: Generated<number>;
  used_file_systems: Generated<number>;
  spend_limit_cents: number | null;
  max_lifetime_seconds: number | null;
  created_at: DefaultTimestamp;
}

export interface TokensTable {
  id: string;
  account_id: string;
  name: string;
  hash: Buffer;
  scopes: string[];
  expires_at: NullableTimestamp;
  revoked_at: NullableTimestamp;
  last_used_at: NullableTimestamp;
  spend_limit_cents: number | null;
  compatibility_version: string | null;
  created_at: DefaultTimestamp;
}

export interface ConsoleSessionsTable {
  id: string;
  hash: Buffer;
  token_id: string;
  created_at: DefaultTimestamp;
  last_used_at: DefaultTimestamp;
  expires_at: Timestamp;
  revoked_at: NullableTimestamp;
}

export interface RegionsTable {
  name: string;
  description: string;
}

export interface InstanceTypesTable {
  name: string;
  description: string;
  gpu_model: string | null;
  gpu_description: string;
  gpus: number;
  vcpus: number;
  memory_gib: number;
  storage_gb: number;
  price_cents_per_hour: number;
  architecture: Generated<string>;
}

export interface ImagesTable {
  name: string;
  number: number;
  description: string;
  family: string;
  login_user: string;
  unsupported_gpu_models: Generated<string[]>;
  jupyter: Generated<boolean>;
  is_default: Generated<boolean>;
  architecture: Generated<string>;
  version: Generated<string>;
  created_at: DefaultTimestamp;
  updated_at: DefaultTimestamp;
}

export interface CouponsTable {
  code: string;
  discount_basis_points: number;
  deactivation_date: Timestamp;
  instance_types: Generated<string[]>;
  active: Generated<boolean>;
}

export interface InstancesTable {
  id: string;
  /** Rises in order of launch; lists are in this order. */
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
}

/** What a launch hands to cloud-init; its instances share it. */
export interface UserDataTable {
  id: string;
  text_sealed: string;
}

/** What stays of an instance that ended long ago and was deleted (rental/instances/past-instances.ts). */
export interface PastInstancesTable {
  id: string;
  name: string;
  instance_type: string;
  region: string;
  failure_code: string | null;
}

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

export interface SshKeysTable {
  id: string;
  account_id: string;
  name: string;
  kind: string;
  base64: string;
  comment: Generated<string>;
  fingerprint: string;
  created_at: DefaultTimestamp;
}

export interface FileSystemsTable {
  id: string;
  account_id: string;
  name: string;
  region: string;
  size_gb: number;
  /** Instances. Several only where the storage allows that. */
  attached_to: Generated<string[]>;
  /** Where it is, once it was attached; `host` only where that host's storage is not shared. */
  engine: string | null;
  host: string | null;
  /** As its engine measured them last; null: not yet. */
  bytes_used: number | null;
  /** Null: its engine is to measure it. */
  measured_at: Date | null;
  created_at: DefaultTimestamp;
}

export interface RemovedFileSystemsTable {
  id: string;
  engine: string;
  host: string | null;
  attempts: Generated<number>;
  next_try_at: DefaultTimestamp;
}

export interface FirewallRulesTable {
  account_id: string;
  rules: Json<StoredRule[]>;
  changed_at: DefaultTimestamp;
}

export interface FirewallRulesetsTable {
  id: string;
  account_id: string;
  name: string;
  region: string;
  region_description: string;
  rules: Json<StoredRule[]>;
  created_at: DefaultTimestamp;
}

export interface BillingSpansTable {
  id: GeneratedAlways<number>;
  instance_id: string;
  account_id: string;
  started_at: Timestamp;
  ended_at: NullableTimestamp;
  price_cents_per_hour: number;
  discount_basis_points: number;
  coupon_code: string | null;
  token_id: string | null;
}

export interface SpendNoticesTable {
  subject_id: string;
  month: Timestamp;
  limit_cents: number;
  kind: string;
  told_at: DefaultTimestamp;
}

export interface ClosedMonthsTable {
  /** date, as text: its first day. */
  month: string;
  closed_at: DefaultTimestamp;
}

export interface StatementLinesTable {
  account_id: string;
  /** date, as text: its first day. */
  month: string;
  instance_id: string;
  instance_name: string;
  instance_type: string;
  region: string;
  seconds: number;
  price_cents_per_hour: number;
  discount_basis_points: number;
  coupon_code: string | null;
  /** numeric, as text. */
  cost_micro_cents: string;
}

export interface EventsTable {
  position: GeneratedAlways<number>;
  /** xid8, as text. */
  tx: GeneratedAlways<string>;
  id: Generated<string>;
  account_id: string;
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

export interface IdempotencyKeysTable {
  account_id: string;
  key: string;
  scopes: string[];
  answer_sealed: string;
  created_at: DefaultTimestamp;
  token_id: string | null;
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
  host: GeneratedAlways<string>;
  failures: Generated<number>;
  paused_until: NullableTimestamp;
  last_error: string | null;
  last_status_code: number | null;
}

export interface WebhookHostsTable {
  host: string;
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

export interface AuditLogTable {
  id: string;
  at: DefaultTimestamp;
  account_id: string;
  token_id: string;
  changed_account_id: string | null;
  address: string | null;
  interface: string;
  operation: string;
  method: string;
  objects: string[];
  result: string;
  status: number;
  error_code: string | null;
  request_id: string;
  made: Generated<number>;
  reason: string | null;
}

export interface ReplicasTable {
  id: string;
  started_at: DefaultTimestamp;
  seen_at: DefaultTimestamp;
  version: string;
  host: string;
  pid: number;
  key_ids: string[];
  current_key_id: string;
  sealing_since: NullableTimestamp;
}

export interface SealingKeysTable {
  id: string;
  since: DefaultTimestamp;
}

export interface KeyRotationsTable {
  id: Generated<string>;
  asked_at: DefaultTimestamp;
  makes_key: boolean;
  former_key_id: string;
  key_id: string | null;
  values_done: Generated<number>;
  finished_at: NullableTimestamp;
  problem: string | null;
}

export interface Schema {
  settings: SettingsTable;
  accounts: AccountsTable;
  tokens: TokensTable;
  console_sessions: ConsoleSessionsTable;
  regions: RegionsTable;
  instance_types: InstanceTypesTable;
  images: ImagesTable;
  coupons: CouponsTable;
  instances: InstancesTable;
  user_data: UserDataTable;
  past_instances: PastInstancesTable;
  hosts: HostsTable;
  removed_hosts: RemovedHostsTable;
  gpu_pools: GpuPoolsTable;
  gpus: GpusTable;
  ssh_keys: SshKeysTable;
  file_systems: FileSystemsTable;
  removed_file_systems: RemovedFileSystemsTable;
  firewall_rules: FirewallRulesTable;
  firewall_rulesets: FirewallRulesetsTable;
  billing_spans: BillingSpansTable;
  spend_notices: SpendNoticesTable;
  closed_months: ClosedMonthsTable;
  statement_lines: StatementLinesTable;
  events: EventsTable;
  logical_clock: LogicalClockTable;
  account_changes: AccountChangesTable;
  catalog_changes: CatalogChangesTable;
  idempotency_keys: IdempotencyKeysTable;
  replicas: ReplicasTable;
  sealing_keys: SealingKeysTable;
  key_rotations: KeyRotationsTable;
  audit_log: AuditLogTable;
  webhooks: WebhooksTable;
  webhook_hosts: WebhookHostsTable;
  webhook_deliveries: WebhookDeliveriesTable;
}
