// Deletes expired idempotency keys. A maintenance job (maintenance.ts).

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";

/** How long a key replays its response. */
const keyLife = "24 hours";
/** Limits how long one statement holds locks. */
const batch = 5_000;

/** Returns how many were deleted. */
export async function deleteOldIdempotencyKeys(db: Database): Promise<number> {
  for (let deleted = 0; ; ) {
    const { numAffectedRows } = await sql`
      delete from idempotency_keys where ctid = any(array(
        select ctid from idempotency_keys where created_at < now() - ${keyLife}::interval limit ${batch}))`.execute(db);
    deleted += Number(numAffectedRows ?? 0n);
    if (Number(numAffectedRows ?? 0n) < batch) return deleted;
  }
}
