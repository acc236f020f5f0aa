// The one way to open a transaction. READ COMMITTED: the database decides races through unique indexes, CHECKs and
// conditional updates whose row count is looked at, so nothing needs a snapshot. Everything in rental and the reconciler
// that writes comes through here.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Database, Transaction } from "./connect.ts";
import { isOutdatedStatement } from "./named-statements.ts";

const ATTEMPTS = 5;

/**
 * Runs `body` in one transaction and commits; whatever it throws rolls back and is thrown on.
 *
 * When the database itself chose the transaction as the victim (deadlock, serialization failure, a statement outdated
 * by a migration) nothing of it happened, and it is run again from the start, up to five times in all. So `body` may
 * run more than once: it must do nothing but talk to `tx` and compute. A lost connection is never retried, for then
 * the commit may have happened.
 */
export async function inTransaction<T>(db: Database, body: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Named, because an operator's server may have another default.
      return await db.transaction().setIsolationLevel("read committed").execute(body);
    } catch (error) {
      if (attempt === ATTEMPTS || !isVictim(error)) throw error;
      // Two that met once would meet again if both came back at once: each waits its own time, up to 10, 20, 40, 80 ms.
      await sleep(Math.random() * 5 * 2 ** attempt);
    }
  }
}

/** True when the database undid the transaction for reasons that are not its own, so that it may succeed if repeated. */
function isVictim(error: unknown): boolean {
  if (isOutdatedStatement(error)) return true;
  return error instanceof pg.DatabaseError && (error.code === "40001" || error.code === "40P01");
}
