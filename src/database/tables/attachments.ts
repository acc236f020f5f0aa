// Objects that instances share: file systems and firewall rules. See ../schema.ts.

import type { Generated } from "kysely";
import type { StoredRule } from "../stored-values.ts";
import type { DefaultTimestamp, Json, NullableTimestamp } from "./column-types.ts";

export interface FileSystemsTable {
  id: string;
  account_id: string;
  name: string;
  region: string;
  size_gb: number;
  /** Instances. Several only if the storage allows that. */
  attached_to: Generated<string[]>;
  /** Its place, once it was attached; `host` only if that host's storage is not shared. */
  engine: string | null;
  host: string | null;
  /** As last measured by its engine; null: not yet. */
  bytes_used: number | null;
  /** Null: its engine should measure it. */
  measured_at: Date | null;
  /** When its host was declared lost, and its data with it. */
  lost_at: NullableTimestamp;
  /** The lost host that may still run an instance which uses it. */
  blocked_by: string | null;
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
