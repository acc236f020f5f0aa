// The one way to open a transaction. READ COMMITTED: the database decides races through unique indexes, CHECKs and
// conditional updates whose row count is checked, so no snapshot is needed. All writes of the rental and the reconciler
// go through here.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Database, Transaction } from "./connect.ts";
import { isOutdatedStatement } from "./named-statements.ts";

const ATTEMPTS = 5;

/**
 * Runs `body` in one transaction and commits; on any error it rolls back and rethrows.
 *
 * If the database chose the transaction as the victim (deadlock, serialization failure, a statement outdated by a
 * migration), it had no effect and is retried from the start, up to five times in all. So `body` may run more than
 * once: it must do nothing but talk to `tx` and compute. A lost connection is never retried, because the commit may
 * have happened.
 */
export async function inTransaction<T>(db: Database, body: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Named, because an operator's server may have another default.
      return await db.transaction().setIsolationLevel("read committed").execute(body);
    } catch (error) {
      if (attempt === ATTEMPTS || !isVictim(error)) throw error;
      // Immediate retries of two that conflicted would conflict again: each waits randomly, up to 10, 20, 40, 80 ms.
      await sleep(Math.random() * 5 * 2 ** attempt);
    }
  }
}

/** True if the database rolled the transaction back for external reasons, so that a retry may succeed. */
function isVictim(error: unknown): boolean {
  if (isOutdatedStatement(error)) return true;
  return error instanceof pg.DatabaseError && (error.code === "40001" || error.code === "40P01");
}
