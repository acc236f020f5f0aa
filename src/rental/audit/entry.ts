// An entry of the audit log. Invariant: identifiers, names and codes only; of request bodies only a stated reason,
// which must not contain our secrets. Written by record.ts, read by audit-store.ts, built by http/api/audit.ts.

/**
 * The result of a request that changes something: `replayed` had no second effect (Idempotency-Key), `refused` and
 * `failed` had none.
 */
export const auditResults = ["done", "replayed", "refused", "failed"] as const;
export type AuditResult = (typeof auditResults)[number];

export interface AuditEntry {
  /** The requesting account and token. */
  readonly accountId: string;
  readonly tokenId: string;
  /** The account whose objects were changed, if it is another one; it sees the entry too. */
  readonly changedAccountId: string | null;
  /** The client's address; null if unknown. */
  readonly address: string | null;
  /** The name of the HTTP interface, and the operationId within it. */
  readonly interface: string;
  readonly operation: string;
  readonly method: string;
  /** Ids and names of the request's objects, followed by those that it created. */
  readonly objects: readonly string[];
  /** How many of the objects it created: the last ones. 0 in entries from before this was recorded. */
  readonly made: number;
  readonly result: AuditResult;
  readonly status: number;
  /** Null unless refused or failed. */
  readonly errorCode: string | null;
  /** The stated reason (instances/reason.ts); null if none. */
  readonly reason: string | null;
  readonly requestId: string;
}
