// Accounts and their principals: tokens, console sessions, SSH keys, the audit log. See ../schema.ts.

import type { ColumnType, Generated } from "kysely";
import type { DefaultTimestamp, NullableTimestamp, Timestamp } from "./column-types.ts";

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
  payment_terms: Generated<string>;
  credit_line_cents: number | null;
  contact_email: string | null;
  disabled_emails: Generated<string[]>;
  held_since: NullableTimestamp;
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
  person_id: string | null;
  operator_role: string | null;
  signed_in: Generated<boolean>;
  created_at: DefaultTimestamp;
}

export interface ConsoleSessionsTable {
  id: string;
  hash: Buffer;
  token_id: string;
  by_email: string | null;
  provider: string | null;
  address: string | null;
  user_agent: string | null;
  created_at: DefaultTimestamp;
  last_used_at: DefaultTimestamp;
  expires_at: Timestamp;
  revoked_at: NullableTimestamp;
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
