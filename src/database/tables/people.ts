// People, their memberships in accounts, open invitations and sign-in links. See ../schema.ts.

import type { Generated } from "kysely";
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
  provider: string | null;
  created_at: DefaultTimestamp;
}

export interface IdentitiesTable {
  issuer: string;
  subject: string;
  person_id: string;
  proves_email: Generated<boolean>;
  provider: string | null;
  refresh_sealed: string | null;
  good_until: DefaultTimestamp;
  check_at: DefaultTimestamp;
  is_suspended: Generated<boolean>;
  lease_owner: string | null;
  lease_until: NullableTimestamp;
  created_at: DefaultTimestamp;
}

export interface SignInAttemptsTable {
  hash: Buffer;
  provider: string;
  return_to: string;
  expires_at: Timestamp;
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

export interface SignInLinksTable {
  id: string;
  email: string;
  hash: Buffer;
  browser_hash: Buffer;
  expires_at: Timestamp;
}

export interface DeviceSignInsTable {
  hash: Buffer;
  user_code: string;
  name: string;
  address: string | null;
  expires_at: Timestamp;
  polled_at: NullableTimestamp;
  account_id: string | null;
  person_id: string | null;
}

export interface SignInRequestsTable {
  key: Buffer;
  since: Timestamp;
  requests: number;
}
