// What the audit log tells of one request. Invariant: identifiers, names and codes only; no entry holds any other value
// of a body but a stated reason, in which no secret of ours may stand. Written by record.ts, read by audit-store.ts, gathered by http/api/audit.ts.

/** How a changing request ended: `replayed` had no second effect (Idempotency-Key), `refused` and `failed` had none. */
export const auditResults = ["done", "replayed", "refused", "failed"] as const;
export type AuditResult = (typeof auditResults)[number];

export interface AuditEntry {
  /** Whose token asked, and which. */
  readonly accountId: string;
  readonly tokenId: string;
  /** The account whose objects were changed, where it is not the one that asked; it sees the entry too. */
  readonly changedAccountId: string | null;
  /** Of the client; null where it is not known. */
  readonly address: string | null;
  /** The name of the HTTP interface, and the operationId within it. */
  readonly interface: string;
  readonly operation: string;
  readonly method: string;
  /** Ids and names of what the request was about, and then of what it made. */
  readonly objects: readonly string[];
  /** How many of the objects it made: the last ones. 0 in entries of before this was told. */
  readonly made: number;
  readonly result: AuditResult;
  readonly status: number;
  /** Null unless refused or failed. */
  readonly errorCode: string | null;
  /** Why it was done, as the request gave it (instances/reason.ts); null where it gave none. */
  readonly reason: string | null;
  readonly requestId: string;
}
