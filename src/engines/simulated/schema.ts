// The tables of the schema `simulated` (in the migrations, from 0002 on) as Kysely types, and the only access to them.

import type { ColumnType, Generated, GeneratedAlways, Kysely } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";

export interface SimulatedHostsTable {
  name: string;
  region: string;
  vcpus: number;
  memory_gib: number;
  storage_gb: number;
  alive: Generated<boolean>;
}

export interface SimulatedGpusTable {
  host: string;
  address: string;
  model: string;
  memory_gib: number;
  numa_node: Generated<number>;
  healthy: Generated<boolean>;
}

export interface SimulatedMachinesTable {
  id: string;
  host: string;
  account_id: string;
  generation: number;
  vcpus: number;
  memory_gib: number;
  storage_gb: number;
  image: string;
  hostname: string;
  login_user: string;
  ssh_keys: string[];
  password_login: boolean;
  env_names: string[];
  file_systems: string[];
  mount_points: Generated<string[]>;
  user_data_bytes: Generated<number>;
  /** Inbound of engine.ts. */
  inbound: ColumnType<unknown, string | null | undefined, string | null>;
  /** SimulatedValidation of console.ts, of a machine that validates GPUs. */
  validation: ColumnType<unknown, string | null | undefined, string | null>;
  /** What was written into the running guest, by path; null: nothing. */
  files: ColumnType<Readonly<Record<string, string>> | null, undefined, string | null>;
  ip: Generated<string>;
  power: Generated<string>;
  settles_at: ColumnType<Date, Date | string | undefined, Date | string>;
  created_at: ColumnType<Date, Date | string | undefined, Date | string>;
}

export interface SimulatedGpuUsesTable {
  host: string;
  address: string;
  machine_id: string;
}

export interface SimulatedFileSystemsTable {
  id: string;
  name: string;
  size_gb: number;
  bytes_used: ColumnType<number, number | undefined, number>;
  created_at: ColumnType<Date, Date | string | undefined, Date | string>;
}

/** Of a machine that moves, the copy that is not the machine: incomplete, or complete and halted. */
export interface SimulatedCopiesTable {
  machine_id: string;
  host: string;
  copied_bytes: number;
  /** Its row if this copy is the machine; null: it is incomplete. */
  machine: ColumnType<unknown, string | null, string | null>;
  gpu_addresses: Generated<string[]>;
}

export interface SimulatedFaultsTable {
  id: GeneratedAlways<number>;
  scope: string;
  target: string | null;
  operation: string | null;
  kind: string;
  parameters: ColumnType<unknown, string | undefined, string>;
  remaining: number | null;
  created_at: ColumnType<Date, Date | string | undefined, Date | string>;
}

export interface SimulatedSchema {
  hosts: SimulatedHostsTable;
  gpus: SimulatedGpusTable;
  machines: SimulatedMachinesTable;
  gpu_uses: SimulatedGpuUsesTable;
  file_systems: SimulatedFileSystemsTable;
  copies: SimulatedCopiesTable;
  faults: SimulatedFaultsTable;
}

export type SimulatorDatabase = Kysely<SimulatedSchema>;

/**
 * The simulator's tables, through the pool or transaction of the service. The cast is the only place where the rental's
 * types and the simulator's meet.
 */
export function worldIn(db: Database | Transaction): SimulatorDatabase {
  return db.withSchema("simulated") as unknown as SimulatorDatabase;
}
