// The SQL of deleted file systems whose data still exists at an engine. A row is inserted in the transaction of the
// deletion (rental/file-systems) and deleted when the engine has confirmed the removal; until then it is retried.
//
// Claiming a row postpones its next try by more than one removal takes. So a replica that dies only delays the next
// try, and no lease is needed: removing is idempotent, and two removals at once do no harm.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import type { Settings } from "./settings.ts";

export interface Removal {
  readonly id: string;
  /** Null: on shared storage. */
  readonly host: string | null;
  /** Including this one. */
  readonly attempts: number;
}

/** Claims up to `limit` due removals, longest due first. */
export async function claimRemovals(
  db: Database,
  engine: string,
  limit: number,
  { engineCallSeconds, leaseSeconds }: Settings,
): Promise<Removal[]> {
  const { rows } = await sql<Removal>`
    update removed_file_systems set attempts = attempts + 1,
      next_try_at = now() + make_interval(secs => ${engineCallSeconds + leaseSeconds}::float8)
    where id = any(array(
      select id from removed_file_systems where next_try_at <= now() and engine = ${engine}
      order by next_try_at limit ${limit} for update skip locked))
    returning id, host, attempts`.execute(db);
  return rows;
}

export async function finishRemoval(db: Database, { id }: Removal): Promise<void> {
  await db.deleteFrom("removed_file_systems").where("id", "=", id).execute();
}

/** It failed: retry with exponential backoff, unless another replica has claimed it since. */
export async function putRemovalOff(
  db: Database,
  { id, attempts }: Removal,
  { retrySeconds }: Settings,
): Promise<void> {
  const [least, most] = retrySeconds;
  await sql`
    update removed_file_systems set next_try_at = now() + make_interval(secs =>
      least(${most}::float8, ${least}::float8 * 2 ^ least(attempts - 1, 20)) * (0.5 + random() / 2))
    where id = ${id} and attempts = ${attempts}`.execute(db);
}

/** It was aborted: makes it due again. */
export async function releaseRemoval(db: Database, { id, attempts }: Removal): Promise<void> {
  await sql`
    update removed_file_systems set next_try_at = now() where id = ${id} and attempts = ${attempts}`.execute(db);
}
