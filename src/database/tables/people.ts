// People, their memberships in accounts, open invitations and sign-in links. See ../schema.ts.

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

export interface SignInRequestsTable {
  key: Buffer;
  since: Timestamp;
  requests: number;
}
