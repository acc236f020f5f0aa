// What instances share: file systems and firewall rules. See ../schema.ts.

import type { Generated } from "kysely";
import type { StoredRule } from "../stored-values.ts";
import type { DefaultTimestamp, Json } from "./column-types.ts";

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
