// The SQL of deleted file systems whose data is still at an engine. A row is written in the transaction of the deletion
// (rental/file-systems) and goes when the engine has confirmed; until then it is tried again and again.
//
// Whoever takes a row puts its next try off for longer than one takes. So a server that dies with it only makes the next
// try late, and no lease is needed: removing is idempotent, and two at it at once do no harm.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import type { Settings } from "./settings.ts";

/** A file system to remove. */
export interface Removal {
  readonly id: string;
  /** Null: it is on shared storage. */
  readonly host: string | null;
  /** With this one. */
  readonly attempts: number;
}

/** Takes up to `limit` that are due, those that waited longest first. */
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

/** Nothing is left of it. */
export async function finishRemoval(db: Database, { id }: Removal): Promise<void> {
  await db.deleteFrom("removed_file_systems").where("id", "=", id).execute();
}

/** It failed: later again, twice as late each time, unless somebody else has taken it since. */
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

/** It was given up before it was over: anybody may go on with it now. */
export async function releaseRemoval(db: Database, { id, attempts }: Removal): Promise<void> {
  await sql`
    update removed_file_systems set next_try_at = now() where id = ${id} and attempts = ${attempts}`.execute(db);
}
