// Emails: messages that wait, were sent, or failed. See ../schema.ts.

import type { Generated } from "kysely";
import type { DefaultTimestamp, Json, NullableTimestamp } from "./column-types.ts";

export interface EmailsTable {
  id: string;
  account_id: string;
  kind: string;
  cause: string;
  recipient: string;
  subject: string;
  /** EmailBlock of rules/emails.ts. */
  body: Json<unknown>;
  secret_sealed: string | null;
  status: string;
  tries: Generated<number>;
  next_attempt_at: NullableTimestamp;
  lease_owner: string | null;
  lease_until: NullableTimestamp;
  last_error: string | null;
  last_response: string | null;
  created_at: DefaultTimestamp;
  finished_at: NullableTimestamp;
}
