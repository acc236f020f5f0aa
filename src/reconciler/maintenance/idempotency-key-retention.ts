// Idempotency keys that replay no more. One of the chores (index.ts).

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";

/** How long a key replays its answer (decisions, Errors, limits, headers: 24 hours). */
const keyLife = "24 hours";
/** At most so many a statement, so that none holds locks for long. */
const batch = 5_000;

/** Deletes idempotency keys that replay no more. How many. */
export async function deleteOldIdempotencyKeys(db: Database): Promise<number> {
  for (let deleted = 0; ; ) {
    const { numAffectedRows } = await sql`
      delete from idempotency_keys where ctid = any(array(
        select ctid from idempotency_keys where created_at < now() - ${keyLife}::interval limit ${batch}))`.execute(db);
    deleted += Number(numAffectedRows ?? 0n);
    if (Number(numAffectedRows ?? 0n) < batch) return deleted;
  }
}
