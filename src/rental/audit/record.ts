// Writes the audit log: a change in its own transaction, so that neither exists without the other; a rejection in a
// separate one. The only writer of the table. Part of every launch, so it is one statement with constant text (prepared
// once per connection) and without row locks: it waits for nothing, and can come last in any transaction. Measured: as
// long as two or three empty statements.

import { v7 as uuidv7 } from "uuid";
import type { Database } from "../../database/connect.ts";
import { insertRows } from "../../database/insert-rows.ts";
import type { AuditEntry } from "./entry.ts";

const columns = [
  ...["id", "account_id", "token_id", "changed_account_id", "address", "interface", "operation", "method"],
  ...["objects", "made", "result", "status", "error_code", "reason", "request_id"],
] as const;

/** Writes the entries in this order. `db`: the transaction of the changes, or the database if nothing was changed. */
export async function recordAudit(db: Database, entries: readonly AuditEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({
    id: uuidv7(),
    account_id: entry.accountId,
    token_id: entry.tokenId,
    changed_account_id: entry.changedAccountId,
    address: entry.address,
    interface: entry.interface,
    operation: entry.operation,
    method: entry.method,
    objects: [...entry.objects],
    made: entry.made,
    result: entry.result,
    status: entry.status,
    error_code: entry.errorCode,
    reason: entry.reason,
    request_id: entry.requestId,
  }));
  await insertRows(db, "audit_log", { columns }, rows);
}
