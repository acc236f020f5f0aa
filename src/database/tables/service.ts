// The service's own data: settings, replicas, encryption keys, responses under Idempotency-Key. See ../schema.ts.

import type { Generated } from "kysely";
import type { DefaultTimestamp, Json, NullableTimestamp } from "./column-types.ts";

export interface SettingsTable {
  name: string;
  value: Json<unknown>;
}

export interface IdempotencyKeysTable {
  account_id: string;
  key: string;
  scopes: string[];
  answer_sealed: string;
  created_at: DefaultTimestamp;
  token_id: string | null;
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
