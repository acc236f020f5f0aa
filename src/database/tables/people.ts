// People, their memberships in accounts, and open invitations. See ../schema.ts.

import type { DefaultTimestamp, NullableTimestamp, Timestamp } from "./column-types.ts";

export interface PeopleTable {
  id: string;
  name: string;
  email: string;
  created_at: DefaultTimestamp;
}

export interface MembershipsTable {
  account_id: string;
  person_id: string;
  role: string;
  created_at: DefaultTimestamp;
}

export interface InvitationsTable {
  id: string;
  account_id: string;
  email: string;
  role: string;
  hash: Buffer;
  token_expires_at: NullableTimestamp;
  invited_by: string | null;
  created_at: DefaultTimestamp;
  expires_at: Timestamp;
}
