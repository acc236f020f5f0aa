// The tables of migrations/, as Kysely sees them. A column's type here is what `pg` returns with the parsers of
// connect.ts: int8 as number, numeric as string, timestamptz as Date, bytea as Buffer. schema.test.ts holds it
// against the migrated database.

import type { ColumnType, Generated, GeneratedAlways } from "kysely";

type Timestamp = ColumnType<Date, Date | string, Date | string>;
type DefaultTimestamp = ColumnType<Date, Date | string | undefined, Date | string>;
type NullableTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
type Json<T> = ColumnType<T, string, string>;
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
  created_at: DefaultTimestamp;
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
}

export interface CouponsTable {
  code: string;
  discount_basis_points: number;
  deactivation_date: Timestamp;
  instance_types: Generated<string[]>;
  active: Generated<boolean>;
}

/** An SSH key as it was at launch; deleting the key later leaves the instance as it is. */
export interface AttachedKey {
  name: string;
  public_key: string;
}

export interface InstancesTable {
  id: string;
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
  attached_to: string | null;
  /** Where it is, once it was attached; `host` only where that host's storage is not shared. */
  engine: string | null;
  host: string | null;
  created_at: DefaultTimestamp;
}

export interface RemovedFileSystemsTable {
  id: string;
  engine: string;
  host: string | null;
  attempts: Generated<number>;
  next_try_at: DefaultTimestamp;
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

export interface IdempotencyKeysTable {
  account_id: string;
  key: string;
  scopes: string[];
  answer_sealed: string;
  created_at: DefaultTimestamp;
}

export interface Schema {
  settings: SettingsTable;
  accounts: AccountsTable;
  tokens: TokensTable;
  regions: RegionsTable;
  instance_types: InstanceTypesTable;
  images: ImagesTable;
  coupons: CouponsTable;
  instances: InstancesTable;
  hosts: HostsTable;
  removed_hosts: RemovedHostsTable;
  gpu_pools: GpuPoolsTable;
  gpus: GpusTable;
  ssh_keys: SshKeysTable;
  file_systems: FileSystemsTable;
  removed_file_systems: RemovedFileSystemsTable;
  billing_spans: BillingSpansTable;
  events: EventsTable;
  idempotency_keys: IdempotencyKeysTable;
}
