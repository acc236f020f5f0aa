// Scheduled jobs that only one replica at a time needs to run: full resyncs, host syncs, maintenance jobs. Not a lock:
// the first replica after the interval takes the job, and one that dies with it delays the next run by one interval.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";

/** True for one caller per interval of `seconds`, across all replicas on this database. */
export async function takeScheduledJob(db: Database, name: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    insert into settings as s (name, value) values (${`duty:${name}`}, to_jsonb(now()))
    on conflict (name) do update set value = excluded.value
    where (s.value #>> '{}')::timestamptz <= now() - make_interval(secs => ${seconds}::float8)
    returning 1`.execute(db);
  return rows.length > 0;
}
